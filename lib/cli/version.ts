import { VERSION } from '../version.ts';
import { defineCommand } from './command.ts';

export const version = defineCommand({
  usage: 'version',
  summary: 'Show the version',
  examples: [['wl version --json', 'the version as JSON']],
  options: { json: { type: 'boolean', default: false, describe: 'Print JSON' } },
  run: async ({ json }, terminal) => {
    if (json) terminal.printJson({ version: VERSION });
    else terminal.print(VERSION);
    return 0;
  },
});
