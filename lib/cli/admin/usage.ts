import { billColumns, billFields, type Price } from '../../control/usage/price.ts';
import type { OrganizationMonth, ProjectMonth } from '../../control/operator/operator.ts';
import { csvText } from '../../base/text/csv-text.ts';
import { tableText } from '../text.ts';
import { controlCommand } from './admin-command.ts';

const COLUMNS = [
  ...['month', 'org_id', 'org_name', 'project_id', 'project_name', 'events_ingested', 'events_stored'],
  ...['queries_run', 'query_ms'],
] as const;

export const usage = controlCommand({
  usage: 'usage',
  summary: 'Show the monthly usage and bill of every organization and project, including deleted ones',
  examples: [
    ['wl admin usage', 'this month, up to now'],
    ['wl admin usage --month 2026-01 --csv > 2026-01.csv', 'a line per organization, then one per project'],
  ],
  options: {
    month: { type: 'string', requiresArg: true, describe: 'UTC month, YYYY-MM (default: the current month)' },
    csv: { type: 'boolean', default: false, describe: 'Print CSV' },
  },
  run: async ({ month = new Date().toISOString().slice(0, 7), csv }, control) => {
    const organizations = await control.operator.usageOfMonth(month);
    const { price } = control.operator;
    const bill = billColumns(price);
    const lines = organizations.flatMap((each) => [
      [...organizationLine(month, each), ...Object.values(billFields(each.eventsStored, price))],
      ...each.projects.map((project) => [...projectLine(month, project), ...bill.map(() => null)]),
    ]);
    const columns = [...COLUMNS, ...bill];
    const text = csv ? csvText(columns, lines) : tableText(columns, lines);
    return { json: organizations.map((each) => organizationJson(month, each, price)), text };
  },
});

type Line = readonly (string | number | null)[];

function organizationLine(month: string, { orgId, orgName, projects, eventsStored }: OrganizationMonth): Line {
  const sum = (of: (project: ProjectMonth) => number): number => projects.reduce((all, each) => all + of(each), 0);
  const ingested = sum((project) => project.eventsIngested);
  const queries = sum((project) => project.queriesRun);
  const ms = Math.round(sum((project) => project.queryMs));
  return [month, orgId, orgName, null, null, ingested, eventsStored, queries, ms];
}

function projectLine(month: string, project: ProjectMonth): Line {
  const { orgId, orgName, projectId, projectName, eventsIngested, eventsStored, queriesRun, queryMs } = project;
  return [month, orgId, orgName, projectId, projectName, eventsIngested, eventsStored, queriesRun, Math.round(queryMs)];
}

function organizationJson(month: string, each: OrganizationMonth, price: Price | null) {
  return {
    month,
    org_id: each.orgId,
    org_name: each.orgName,
    deleted: each.deleted,
    events_stored: each.eventsStored,
    ...billFields(each.eventsStored, price),
    projects: each.projects.map((project) => ({
      project_id: project.projectId,
      project_name: project.projectName,
      deleted: project.projectName === null,
      events_ingested: project.eventsIngested,
      events_stored: project.eventsStored,
      queries_run: project.queriesRun,
      query_ms: Math.round(project.queryMs),
    })),
  };
}
