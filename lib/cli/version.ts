import { readGlobals, unseenGlobals } from './client/global-options.ts';
import { defineCommand, flag } from './command.ts';
import { versionText } from './version-answer.ts';

export const version = defineCommand({
  usage: 'version',
  summary: 'Show the version',
  examples: [['wl version --json', 'the version as JSON']],
  shared: unseenGlobals('json'),
  options: { json: flag('Print JSON') },
  run: async (args, terminal) => {
    terminal.print(versionText(readGlobals(args).format === 'json'));
    return 0;
  },
});
