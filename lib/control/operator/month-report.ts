/** What a UTC month of a host looks like to its operator: `wl admin usage` and GET /operator/usage. */
import type { Operator } from './operator.ts';
import { billColumns, billFields, type Price } from '../usage/price.ts';

type Month = Awaited<ReturnType<Operator['usageOfMonth']>>;

const COUNTERS = ['events_ingested', 'events_stored', 'queries_run', 'query_ms'] as const;

export const monthColumns = (price: Price | null): readonly string[] => [
  ...['month', 'org_id', 'org_name', 'project_id', 'project_name', ...COUNTERS],
  ...billColumns(price),
];

/** A line for each organization, with its bill, and then one for each of its projects. */
export function monthLines(organizations: ReturnType<typeof monthJson>) {
  return organizations.flatMap(({ month, org_id: id, org_name: name, deleted: _deleted, events_stored: _stored, projects, ...bill }) => [
    [month, id, name, null, null, ...countersOf(projects), ...Object.values(bill)],
    ...projects.map((project) => [
      ...[month, id, name, project.project_id, project.project_name, ...countersOf([project])],
      ...Object.values(bill).map(() => null),
    ]),
  ]);
} // prettier-ignore

export function monthJson(month: string, organizations: Month, price: Price | null) {
  return organizations.map(({ projects, ...organization }) => ({
    ...{ month, ...organization, ...billFields(organization.events_stored, price) },
    projects: projects.map((project) => ({ ...project, query_ms: Math.round(project.query_ms) })),
  }));
}

const countersOf = (projects: readonly Readonly<Record<(typeof COUNTERS)[number], number>>[]): number[] =>
  COUNTERS.map((name) => projects.reduce((sum, project) => sum + project[name], 0));
