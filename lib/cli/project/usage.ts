import { clientCommand } from '../client/client-command.ts';
import { asRecords } from '../client/records.ts';
import { counted } from '../client/counted.ts';
import { projectRequest } from './projects.ts';

const COLUMNS = ['date', 'events_ingested', 'events_stored', 'events_rejected', 'events_duplicate', 'queries_run', 'query_ms', 'bytes_stored']; // prettier-ignore

export const projectUsage = clientCommand({
  usage: 'usage <id>',
  summary: 'Show what a project used, day by day (UTC)',
  examples: [
    ['wl project usage prj_…', 'of this month'],
    ['wl project usage prj_… --from 2026-01-01 --to 2026-01-31', 'of a month, both days included'],
  ],
  options: {
    id: { type: 'string', demandOption: true, describe: 'Id of the project' },
    from: { type: 'string', requiresArg: true, describe: 'First day, YYYY-MM-DD [default: the first of this month]' },
    to: { type: 'string', requiresArg: true, describe: 'Last day, YYYY-MM-DD [default: today]' },
  },
  run: async ({ id, from, to }, { api, output }) => {
    const request = { ...projectRequest('GET', { id, below: '/usage' }), parameters: { from, to } };
    const days = asRecords(await api.json(request));
    await output.records(days, COLUMNS, [counted(days.length, 'day')]);
  },
});
