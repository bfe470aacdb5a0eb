import { canonicalHost, checkedKey, type FoundSetting, masked, type Settings } from '../client/settings.ts';
import { clientCommand } from '../client/client-command.ts';
import { ClientError } from '../client/client-error.ts';
import { userFile, writeConfigFile } from '../client/config-file.ts';
import { readStdin } from '../client/stdin.ts';
import { defineGroup, positional } from '../command.ts';
import { configInit } from './init.ts';

const NAMES = ['api-key', 'host'] as const;

type Name = (typeof NAMES)[number];

/** The value that commands here would use, masked; null: there is none. */
function shownSetting(settings: Settings, name: Name): FoundSetting | null {
  if (name === 'host') return settings.host;
  const key = settings.anyApiKey;
  return key === null ? null : { ...key, value: masked(key.value) };
}

const get = clientCommand({
  usage: 'get <name>',
  summary: 'Show the value that commands use here; a key is masked',
  examples: [
    ['wl config get host', 'only the value'],
    ['wl config get api-key --json', 'and where it comes from'],
  ],
  options: { name: { choices: NAMES, demandOption: true, describe: 'What' } },
  run: async ({ name }, { settings, output, terminal, globals }) => {
    const found = shownSetting(settings, name);
    if (found === null) throw new ClientError(`${name} is not set.`, [`Set it: wl config set ${name} VALUE`]);
    if (globals.format === 'json') output.json({ name, value: found.value, source: found.where });
    else terminal.print(found.value);
  },
});

const list = clientCommand({
  usage: 'list',
  summary: 'Show all values that commands use here, and where they come from',
  examples: [['wl config list', 'keys are masked']],
  options: {},
  run: async (_args, { settings, output }) => {
    const rows = NAMES.map((name) => {
      const found = shownSetting(settings, name);
      return { name, value: found?.value ?? null, source: found?.where ?? null };
    });
    await output.records(rows, ['name', 'value', 'source']);
  },
});

const path = clientCommand({
  usage: 'path',
  summary: 'Show the path of the configuration file',
  examples: [['wl config path', 'the file that `wl config set` writes']],
  options: {},
  run: async (_args, { output, globals, terminal }) => {
    const file = userFile(process.env);
    if (globals.format === 'json') output.json({ path: file });
    else terminal.print(file);
  },
});

const set = clientCommand({
  usage: 'set <name> <value>',
  summary: 'Save a value in your configuration file, which only you can read',
  examples: [
    ['wl config set host https://analytics.example.com', 'the server'],
    ['wl config set api-key - < key.txt', 'keeps the key out of the process list'],
  ],
  options: {
    name: { choices: NAMES, demandOption: true, describe: 'What' },
    value: positional('The value; - reads it from stdin'),
  },
  run: async ({ name, value: given }, { output, signal }) => {
    const value = (given === '-' ? await readStdin(4_096, signal) : given).trim(); // bytes
    const where = given === '-' ? 'stdin' : 'the command line';
    const path = userFile(process.env);
    if (name === 'host') {
      const host = canonicalHost({ value, where });
      writeConfigFile(path, { host });
      await output.record({ name, value: host, path });
    } else {
      writeConfigFile(path, { api_key: checkedKey({ value, where }) });
      await output.record({ name, value: masked(value), path });
    }
  },
});

export const config = defineGroup({
  name: 'config',
  summary: 'Save the server and the key for later commands',
  commands: [configInit, set, get, list, path],
});
