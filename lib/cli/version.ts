import { defineCommand } from './command.ts';
import { versionText } from './version-answer.ts';

export const version = defineCommand({
  usage: 'version',
  summary: 'Show the version',
  examples: [['wl version --json', 'the version as JSON']],
  options: { json: { type: 'boolean', default: false, describe: 'Print JSON' } },
  run: async ({ json }, terminal) => {
    terminal.print(versionText(json));
    return 0;
  },
});
