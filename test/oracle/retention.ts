/** `retention`: cohorts by first start, and who returned in the k-th bucket after it, or a metric of what they did there. */
import type { People, RetentionPlan } from '../../lib/dsl/plan/plan.ts';
import type { Cell, TableColumn } from '../../lib/dsl/plan/table.ts';
import { eventRow, type EventRow } from './events.ts';
import { byPerson } from './funnel.ts';
import { groupColumn, labelOf, type Label } from './groups.ts';
import { measure, metricColumn } from './metrics.ts';
import { peopleSheet, type Person } from './people.ts';
import { isNamed, selectEvents, type Scope } from './scope.ts';
import { by, column, inTurn, scales, type Line, type Sheet } from './table.ts';
import { bucketsOf, type Bucket } from './zone.ts';

const LAST_PERIOD = 12;

/** One person: the bucket of the first start, the labels of that event, the returning events by period. */
interface Member {
  readonly start: EventRow;
  readonly cohort: number;
  readonly labels: readonly Label[];
  readonly returns: readonly { readonly period: number; readonly row: EventRow }[];
}

export function answerRetention(scope: Scope, plan: RetentionPlan): Sheet {
  const { from, to } = plan.range;
  const times = plan.first ? { from: -Infinity, to } : { from, to };
  const rows = selectEvents(scope, plan, times).map((event) => eventRow(scope, event));
  const buckets = bucketsOf(plan.range, plan.unit, plan.zone);
  const members = [...byPerson(rows).values()].flatMap((own) => memberOf(own, buckets, plan) ?? []);
  if (plan.people !== undefined) {
    const people = members.flatMap((member) => personIn(member, plan, plan.people!, buckets));
    return peopleSheet(scope, plan, people, [column('cohort', 'string', 'bucket')]);
  }
  const last = plan.periods ?? Math.min(LAST_PERIOD, buckets.length - 1);
  const periods = Array.from({ length: last + 1 }, (_, k) => k);
  const columns = [
    ...plan.groups.map(groupColumn),
    column('cohort', 'string', 'bucket'),
    column('users', 'number', 'metric'),
    ...periods.map((k) => periodColumn(plan, k)),
  ];
  const lines = cohorts(members, buckets, plan).map(({ labels, cohort, own }): Line => {
    const counts = periods.map((k) => (cohort + k < buckets.length ? cellOf(own, k, plan) : null));
    const cells: Cell[] = [...labels.map((label) => label.cell), buckets[cohort]?.label ?? null, own.length, ...counts];
    return {
      cells,
      keys: [...labels.map((label) => label.key), buckets[cohort]?.start ?? null, own.length, ...counts],
    };
  });
  const fields = plan.groups.length;
  const order = inTurn(
    ...scales(columns),
    by(fields + 1, 'descending'),
    ...plan.groups.map((_, index) => by(index, 'ascending')),
  );
  return { columns, lines, order };
}

/** Of a cohort that has the period: whoever returned in it, with the first return, or else whoever did not. */
function personIn(
  member: Member,
  { unbounded }: RetentionPlan,
  { which, nth }: People,
  buckets: readonly Bucket[],
): Person[] {
  const { start, cohort, labels, returns } = member;
  if (cohort + nth >= buckets.length) return [];
  const found = returns.find(({ period }) => (unbounded ? period >= nth : period === nth));
  if ((found !== undefined) !== (which === 'returned')) return [];
  const time = found?.row.time ?? start.time;
  return [{ id: start.event.distinctId!, time, labels, more: [buckets[cohort]!.label] }];
}

function periodColumn(plan: RetentionPlan, k: number): TableColumn {
  const [metric] = plan.metrics;
  const name = `${plan.unit === 'sunday_week' ? 'week' : plan.unit}_${k}`;
  return metric === undefined ? column(name, 'number', 'period') : { ...metricColumn(metric), name };
}

function cellOf(own: readonly Member[], k: number, plan: RetentionPlan): number | null {
  const [metric] = plan.metrics;
  if (metric === undefined) {
    const is = (period: number): boolean => (plan.unbounded ? period >= k : period === k);
    return own.filter((member) => member.returns.some(({ period }) => is(period))).length;
  }
  const counted = own.flatMap((member) =>
    member.returns.filter(({ period }) => (plan.cumulative ? period <= k : period === k)),
  );
  const cell = measure(
    metric,
    counted.map(({ row }) => row.read),
  );
  return typeof cell === 'number' ? cell : null;
}

function memberOf(own: readonly EventRow[], buckets: readonly Bucket[], plan: RetentionPlan): Member | undefined {
  const at = own.findIndex((row) => isNamed(row.event, plan.event));
  const start = own[at];
  if (start === undefined || start.time < plan.range.from) return undefined;
  const bucketAt = (row: EventRow): number => buckets.findIndex((one) => one.start <= row.time && row.time < one.end);
  const cohort = bucketAt(start);
  const returns = own.slice(at).filter((row) => isNamed(row.event, plan.returning));
  return {
    start,
    cohort,
    labels: plan.groups.map((group) => labelOf(group, start, plan.zone)),
    returns: returns.map((row) => ({ period: bucketAt(row) - cohort, row })),
  };
}

interface Cohort {
  readonly labels: readonly Label[];
  readonly cohort: number;
  readonly own: Member[];
}

/** With a field only cohorts that have someone, otherwise one per bucket. */
function cohorts(members: readonly Member[], buckets: readonly Bucket[], plan: RetentionPlan): Cohort[] {
  const piles = new Map<string, Cohort>();
  if (plan.groups.length === 0) {
    buckets.forEach((_, cohort) => piles.set(JSON.stringify([cohort, []]), { labels: [], cohort, own: [] }));
  }
  for (const member of members) {
    const name = JSON.stringify([member.cohort, member.labels]);
    const pile = piles.get(name) ?? { labels: member.labels, cohort: member.cohort, own: [] };
    pile.own.push(member);
    piles.set(name, pile);
  }
  return [...piles.values()];
}
