import { billColumns, billFields } from '../../control/usage/price.ts';
import { csvText } from '../../base/text/csv-text.ts';
import { tableText } from '../text.ts';
import { controlCommand } from './admin-command.ts';
import { flag, optional } from '../command.ts';

const COLUMNS = ['month', 'org_id', 'org_name', 'project_id', 'project_name'] as const;
const COUNTERS = ['events_ingested', 'events_stored', 'queries_run', 'query_ms'] as const;

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
  run: async ({ month = new Date().toISOString().slice(0, 7), csv }, control) => {
    const organizations = await control.operator.usageOfMonth(month);
    const { price } = control.operator;
    const bill = billColumns(price);
    const lines = organizations.flatMap(({ org_id: id, org_name: name, events_stored: stored, projects }) => [
      [month, id, name, null, null, ...countersOf(projects), ...Object.values(billFields(stored, price))],
      ...projects.map((project) => [
        ...[month, id, name, project.project_id, project.project_name, ...countersOf([project])],
        ...bill.map(() => null),
      ]),
    ]);
    const columns = [...COLUMNS, ...COUNTERS, ...bill];
    const json = organizations.map(({ projects, ...organization }) => ({
      ...{ month, ...organization, ...billFields(organization.events_stored, price) },
      projects: projects.map((project) => ({ ...project, query_ms: Math.round(project.query_ms) })),
    }));
    return { json, text: csv ? csvText(columns, lines) : tableText(columns, lines) };
  },
});

const countersOf = (projects: readonly Readonly<Record<(typeof COUNTERS)[number], number>>[]): number[] =>
  COUNTERS.map((name) => Math.round(projects.reduce((sum, project) => sum + project[name], 0)));
