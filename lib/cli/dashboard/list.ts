import { clientCommand } from '../client/client-command.ts';
import { counted } from '../client/counted.ts';
import { asRecords } from '../client/records.ts';

export const dashboardList = clientCommand({
  usage: 'list',
  summary: 'List the dashboards stored in the project of the key',
  examples: [['wl dashboard list', "the project's and your personal ones"]],
  options: {},
  run: async (_args, { api, output }) => {
    const stored = asRecords(await api.json({ method: 'GET', path: '/dashboards', key: 'dashboards', retry: 'safe' }));
    const columns = ['id', 'title', 'order', 'version', 'visibility', 'updated_at', 'updated_by'];
    await output.records(stored, columns, [counted(stored.length, 'dashboard')]);
  },
});
