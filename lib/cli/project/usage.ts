import { csvText } from '../../base/text/csv-text.ts';
import type { ApiRequest } from '../client/api-client.ts';
import { clientCommand, type ClientSession, asRecord, asRecords } from '../client/client-command.ts';
import { adminRequest, projectPath } from './admin-api.ts';
import type { JsonRecord } from '../../base/is-record.ts';
import { counted } from '../text.ts';
import { optional } from '../command.ts';

const COUNTERS = ['events_ingested', 'events_stored', 'events_rejected', 'events_duplicate', 'queries_run', 'query_ms'];

export const usage = clientCommand({
  usage: 'usage [id]',
  summary: 'Show the daily usage (UTC) of a project, or of the whole organization with its bill',
  examples: [
    ['wl project usage prj_…', 'this month, with the total'],
    ['wl project usage prj_… --from 2026-01-01 --to 2026-01-31', 'for January, including both days'],
    ['wl project usage', 'every project of the organization, including deleted ones, with the monthly bill'],
    ['wl project usage --from 2026-01-01 --to 2026-01-31 --format csv > 2026-01.csv', 'the same for a spreadsheet'],
  ],
  options: {
    id: { type: 'string', describe: 'Id of the project [default: all projects]' },
    from: optional('First day, YYYY-MM-DD [default: the first of this month]'),
    to: optional('Last day, YYYY-MM-DD [default: today]'),
  },
  formats: ['table', 'json', 'csv'],
  run: ({ id, from, to }, session) =>
    id === undefined ? showOrganization(session, { from, to }) : showProject(session, id, { from, to }),
});

type Range = NonNullable<ApiRequest['parameters']>;

/** JSON and CSV are only the days; programs can add them up themselves. */
async function showProject({ api, output }: ClientSession, id: string, parameters: Range): Promise<void> {
  const days = asRecords(await api.json(adminRequest('GET', `${projectPath(id)}/usage`, { parameters })));
  if (output.format === 'json') return output.json(days);
  if (output.format === 'csv') return output.raw(csvOf(days));
  const total = { ...totalOf(days), bytes_stored: days.at(-1)?.['bytes_stored'] };
  await output.records([...days, total], ['date', ...COUNTERS, 'bytes_stored'], [counted(days.length, 'day')]);
}

/** JSON and CSV are the server's. */
async function showOrganization({ api, output }: ClientSession, range: Range): Promise<void> {
  const request = (format: string): ApiRequest =>
    adminRequest('GET', '/usage', { parameters: { ...range, ...(format === 'csv' ? { format } : {}) } });
  if (output.format === 'csv') return output.raw((await api.send(request('csv'))).body.toString('utf8'));
  const usage = asRecord(await api.json(request('json')));
  if (output.format === 'json') return output.json(usage);
  const [days, months] = [asRecords(usage['days']), asRecords(usage['months'])];
  const rows = days.map((day) => ({ ...day, project: day['project_name'] ?? day['project_id'] }));
  await output.records([...rows, { ...totalOf(days), project: '' }], ['date', 'project', ...COUNTERS]);
  const columns = Object.keys(months[0] ?? {}); // the amount is named after the host's currency, and missing if it has no price
  output.heading(columns.includes('billable_events') ? 'Bill' : 'Months');
  await output.records(months, columns, [counted(months.length, 'month')]);
}

function totalOf(days: readonly JsonRecord[]): JsonRecord {
  const sums: Record<string, unknown> = { date: 'total' };
  for (const name of COUNTERS) sums[name] = days.reduce((sum, day) => sum + Number(day[name] ?? 0), 0);
  return sums;
}

function csvOf(days: readonly JsonRecord[]): string {
  const columns = Object.keys(days[0] ?? {});
  const cell = (value: unknown): string | number => (typeof value === 'number' ? value : String(value));
  return `${csvText(columns, days.map((day) => columns.map((name) => cell(day[name]))))}\r\n`; // prettier-ignore
}
