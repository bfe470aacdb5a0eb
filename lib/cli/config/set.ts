import { clientCommand } from '../client/client-command.ts';
import { userFile, writeConfigFile } from '../client/config-file.ts';
import { addressOf, checkedKey, masked } from '../client/settings.ts';
import { readStdin } from '../client/stdin.ts';
import { NAMES } from './names.ts';

const MAX_VALUE = 4_096; // bytes

export const configSet = clientCommand({
  usage: 'set <name> <value>',
  summary: 'Save a value in your configuration file, which only you can read',
  examples: [
    ['wl config set host https://analytics.example.com', 'the server'],
    ['wl config set api-key - < key.txt', 'keeps the key out of the process list'],
  ],
  options: {
    name: { choices: NAMES, demandOption: true, describe: 'What' },
    value: { type: 'string', demandOption: true, describe: 'The value; - reads it from stdin' },
  },
  run: async ({ name, value: given }, { output, signal }) => {
    const value = (given === '-' ? await readStdin(MAX_VALUE, signal) : given).trim();
    const where = given === '-' ? 'stdin' : 'the command line';
    const path = userFile(process.env);
    if (name === 'host') {
      const host = addressOf({ value, where });
      writeConfigFile(path, { host });
      await output.record({ name, value: host, path });
    } else {
      writeConfigFile(path, { api_key: checkedKey({ value, where }) });
      await output.record({ name, value: masked(value), path });
    }
  },
});
