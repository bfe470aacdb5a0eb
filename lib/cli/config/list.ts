import { clientCommand } from '../client/client-command.ts';
import { NAMES, shownSetting } from './names.ts';

export const configList = clientCommand({
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
