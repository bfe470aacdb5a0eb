import { monthColumns, monthJson, monthLines } from '../../control/operator/month-report.ts';
import { csvText } from '../../base/text/csv-text.ts';
import { type CommandResult, controlCommand, tableResult } from './admin-command.ts';
import { flag, optional } from '../command.ts';
import { printable } from '../text.ts';

/** What a narrow terminal leaves out, the highest first. */
const LEFT_OUT: ReadonlyMap<string, number> = new Map(
  ['month', 'queries_run', 'events_ingested', 'query_ms', 'project_id', 'org_id'].map((name, rank) => [name, rank]),
);

export const adminUsage = controlCommand({
  usage: 'usage',
  summary: 'Show the monthly usage and bill of every organization and project, including deleted ones',
  examples: [
    ['wl admin usage', 'this month, up to now'],
    ['wl admin usage --month 2026-01 --csv > 2026-01.csv', 'a line per organization, then one per project'],
  ],
  options: {
    month: optional('UTC month, YYYY-MM (default: the current month)'),
    csv: flag('Print CSV'),
  },
  run: async ({ month = thisMonth(), csv }, { operator }) => {
    const json = monthJson(month, await operator.usageOfMonth(month), operator.price);
    const columns = monthColumns(operator.price);
    return csv ? { json, text: csvText(columns, monthLines(json)) } : shown(json, columns);
  },
  remote: async ({ month = thisMonth(), csv, ...shared }, host) => {
    const json = await host.ask<Month>('GET', '/usage', { parameters: { month } });
    if (shared['json'] === true) return { json, text: '' };
    const text = (await host.text('/usage', { month, format: 'csv' })).trimEnd();
    return csv
      ? { json, text, shown: () => printable(text.replaceAll('\r\n', '\n')) }
      : shown(json, text.split('\r\n', 1)[0]!.split(','));
  },
});

/** UTC, YYYY-MM. */
const thisMonth = (): string => new Date().toISOString().slice(0, 7);

type Month = ReturnType<typeof monthJson>;

const shown = (json: Month, columns: readonly string[]): CommandResult =>
  tableResult(json, {
    columns: columns.map((name) => ({ name, rank: LEFT_OUT.get(name) })),
    rows: monthLines(json),
  });
