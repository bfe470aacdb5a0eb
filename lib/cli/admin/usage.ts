import type { OrganizationMonth, ProjectMonth } from '../../control/operator.ts';
import { csvText } from '../../csv-text.ts';
import { tableText } from '../text.ts';
import { controlCommand } from './admin-command.ts';

const COLUMNS = [
  ...['month', 'org_id', 'org_name', 'project_id', 'project_name', 'events_ingested', 'events_stored'],
  ...['queries_run', 'query_ms', 'billable_events', 'amount_usd'],
] as const;

export const usage = controlCommand({
  usage: 'usage',
  summary: 'Usage and bill of every organization and project in a month, deleted ones too',
  examples: [
    ['wl admin usage', 'this month, up to now'],
    ['wl admin usage --month 2026-01 --csv > 2026-01.csv', 'a line for each organization, then one for each project'],
  ],
  options: {
    month: { type: 'string', requiresArg: true, describe: 'UTC month as YYYY-MM (default: the current one)' },
    csv: { type: 'boolean', default: false, describe: 'Print CSV' },
  },
  run: ({ month = new Date().toISOString().slice(0, 7), csv }, control) => {
    const organizations = control.operator.usageOfMonth(month);
    const lines = organizations.flatMap((each) => [
      organizationLine(month, each),
      ...each.projects.map((project) => projectLine(month, project)),
    ]);
    const text = csv ? csvText(COLUMNS, lines) : tableText(COLUMNS, lines);
    return { json: organizations.map((each) => organizationJson(month, each)), text };
  },
});

type Line = readonly (string | number | null)[];

/** What the bill is of: free events are the organization's. */
function organizationLine(month: string, { orgId, orgName, projects, eventsStored, ...bill }: OrganizationMonth): Line {
  const sum = (of: (project: ProjectMonth) => number): number => projects.reduce((all, each) => all + of(each), 0);
  const ingested = sum((project) => project.eventsIngested);
  const queries = sum((project) => project.queriesRun);
  const ms = Math.round(sum((project) => project.queryMs));
  const used = [ingested, eventsStored, queries, ms];
  return [month, orgId, orgName, null, null, ...used, bill.billableEvents, bill.amountUsd];
}

function projectLine(month: string, project: ProjectMonth): Line {
  const { orgId, orgName, projectId, projectName, eventsIngested, eventsStored, queriesRun, queryMs } = project;
  const used = [eventsIngested, eventsStored, queriesRun, Math.round(queryMs)];
  return [month, orgId, orgName, projectId, projectName, ...used, null, null];
}

function organizationJson(month: string, each: OrganizationMonth) {
  return {
    month,
    org_id: each.orgId,
    org_name: each.orgName,
    deleted: each.deleted,
    events_stored: each.eventsStored,
    billable_events: each.billableEvents,
    amount_usd: each.amountUsd,
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
