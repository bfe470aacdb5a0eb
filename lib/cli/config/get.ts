import { clientCommand } from '../client/client-command.ts';
import { ClientError } from '../client/client-error.ts';
import { NAMES, shownSetting } from './names.ts';

export const configGet = clientCommand({
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
