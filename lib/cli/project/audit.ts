import { clientCommand } from '../client/client-command.ts';
import { counted } from '../client/counted.ts';
import { asRecords } from '../client/records.ts';
import { adminRequest } from './admin-api.ts';

const COLUMNS = ['at', 'actor', 'action', 'target', 'ip'];

export const audit = clientCommand({
  usage: 'audit',
  summary: 'Show who did what in the organization, newest first',
  examples: [
    ['wl project audit', 'the last hundred entries'],
    ['wl project audit --from 2026-01-01 --to 2026-01-31 --limit 1000', 'January, including both days'],
  ],
  options: {
    from: { type: 'string', requiresArg: true, describe: 'First day or time, YYYY-MM-DD or 2026-01-31T12:00:00Z' },
    to: { type: 'string', requiresArg: true, describe: 'Last day, or a time to stop before' },
    limit: { type: 'string', requiresArg: true, describe: 'Number of entries, 1 to 1000 [default: 100]' },
    cursor: { type: 'string', requiresArg: true, describe: 'Cursor from the previous page' },
  },
  run: async ({ from, to, limit, cursor }, { api, output, terminal }) => {
    const request = adminRequest('GET', '/audit', { parameters: { from, to, limit, cursor } });
    const { value, header } = await api.read(request);
    const entries = asRecords(value);
    await output.records(entries, COLUMNS, [counted(entries.length, 'entry', 'entries')]);
    const next = header('x-next-cursor');
    if (next !== null) terminal.say(`wl: for older entries add --cursor ${next}`);
  },
});
