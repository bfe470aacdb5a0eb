import { clientCommand } from '../client/client-command.ts';
import { userFile } from '../client/config-file.ts';

export const configPath = clientCommand({
  usage: 'path',
  summary: 'Show the path of the configuration file',
  examples: [['wl config path', 'the file that `wl config set` writes']],
  options: {},
  run: async (_args, { output, globals, terminal }) => {
    const path = userFile(process.env);
    if (globals.format === 'json') output.json({ path });
    else terminal.print(path);
  },
});
