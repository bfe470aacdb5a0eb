/** What distinguishes kinds of plans, one case each, so that callers need not name a kind. */
import { unreachable } from '../../base/unreachable.ts';
import { EXPOSURE } from './choice.ts';
import { evaluateFormula } from './evaluate-formula.ts';
import { METRIC_TRAITS, valueOfNothing } from './metrics.ts';
import { groupsOfPeople, PERSON_COLUMNS } from './people.ts';
import type { EventName, FormulaPlan, Group, Metric, Plan } from './plan.ts';
import type { Cell } from './table.ts';
import type { TimeUnit } from '../time/units.ts';

export interface PlanTraits {
  /** The events it names; null means any. */
  readonly events: readonly EventName[];
  /** The unit of each group that is a time bucket; null for other groups. */
  readonly buckets: readonly (TimeUnit | null)[];
  /** If the first column is a bucket, every bucket of the range gets a row. */
  readonly fills: boolean;
  /** An empty answer still has one row. */
  readonly isOneRow: boolean;
  /** Metrics of an empty group, of sources that have them: counts are 0, everything else is null. */
  readonly nothing: readonly Cell[];
  /** Estimated nanoseconds of one thread per row that it may read, once columns are decoded. */
  readonly work: number;
}

export function traitsOf(plan: Plan): PlanTraits {
  const traits = traitsOfAnswer(plan);
  if (plan.people === undefined) return traits;
  const cohorts = plan.kind === 'retention' ? [plan.unit] : [];
  const buckets = [...PERSON_COLUMNS.map(() => null), ...bucketsOf(groupsOfPeople(plan)), ...cohorts];
  return { ...traits, buckets, fills: false, isOneRow: false };
}

function traitsOfAnswer(plan: Plan): PlanTraits {
  switch (plan.kind) {
    case 'aggregate':
      return { ...grouped(plan), events: [plan.event], work: 1 + workOf(plan.groups) + workOfMetrics(plan.metrics) };
    case 'latest':
      return {
        ...grouped(plan),
        events: [plan.event],
        fills: plan.asOf !== null && plan.groups.length === 1,
        work: 10,
      };
    case 'users':
      return grouped(plan);
    case 'sessions':
      return plan.metrics.length > 0 ? grouped(plan) : { ...grouped(plan), isOneRow: plan.groups.length === 0, nothing: [0, null, null, null] }; // prettier-ignore
    case 'formula':
      return {
        ...grouped({ groups: plan.groups, metrics: plan.operands.map(({ metric }) => metric) }),
        events: plan.operands.map(({ event }) => event),
        isOneRow: plan.groups.length === 0,
        nothing: formulaOfNothing(plan),
        work: 4 + workOf(plan.groups),
      };
    case 'funnel':
      return {
        ...ROWS,
        events: [...plan.steps.flatMap(({ events }) => events), ...plan.exclude],
        buckets: bucketsOf(plan.groups),
        nothing: [0, null, null, null],
        work: 1 + workOf(plan.groups),
      };
    case 'retention':
      return {
        ...ROWS,
        events: [plan.event, plan.returning],
        buckets: [...bucketsOf(plan.groups), plan.unit],
        fills: plan.groups.length === 0,
        work: 2,
      };
    case 'lifecycle':
      return { ...ROWS, events: [plan.event], buckets: [plan.unit], fills: true, nothing: [0, 0, 0, 0], work: 2 };
    case 'stickiness':
      return { ...ROWS, events: [plan.event], work: 2 };
    case 'list':
    case 'paths':
      return { ...ROWS, events: [plan.event] };
    case 'inspect':
      return { ...ROWS, events: [plan.event], work: 100 };
    case 'fields':
      return { ...ROWS, work: 100 };
    case 'identities':
      return ROWS;
    case 'choice':
      return { ...ROWS, events: [EXPOSURE, plan.conversion], buckets: bucketsOf(plan.groups) };
    case 'attribution':
      return { ...ROWS, events: [plan.conversion], work: 5 + workOf(plan.groups) };
    case 'did':
      return { ...ROWS, events: [plan.event, ...(plan.within === null ? [] : [plan.within.of])], work: 2 };
    default:
      return unreachable(plan);
  }
}

/** For rows that are not grouped. */
const ROWS: PlanTraits = { events: [], buckets: [], fills: false, isOneRow: false, nothing: [], work: 5 };

/** For rows in groups. */
function grouped({ groups, metrics }: { groups: readonly Group[]; metrics: readonly Metric[] }): PlanTraits {
  return {
    ...ROWS,
    buckets: bucketsOf(groups),
    fills: groups.length === 1,
    isOneRow: groups.length === 0 && metrics.length > 0,
    nothing: metrics.map(valueOfNothing),
  };
}

const bucketsOf = (groups: readonly Group[]): (TimeUnit | null)[] =>
  groups.map((group) => (group.kind === 'bucket' ? group.unit : null));

function formulaOfNothing(plan: FormulaPlan): Cell[] {
  const operands = plan.operands.map(({ metric }) => valueOfNothing(metric));
  return [...operands, evaluateFormula(plan.expression, operands)];
}

/** Several fields usually need a hash table to number them; ids and sessions have many values. */
function workOf(groups: readonly Group[]): number {
  const fields = groups.flatMap((group) => (group.kind === 'field' ? [group.field] : []));
  const manyValued = fields.some(({ kind }) => kind === 'core' || kind === 'latest');
  return fields.length > 1 || (fields.length === 1 && groups.length > 1) ? 10 : manyValued ? 8 : 1.5 * fields.length;
}

/** `per` finds the group of each row once more, of which there are as many as persons. */
const workOfMetrics = (metrics: readonly Metric[]): number =>
  metrics.reduce(
    (sum, metric) => sum + (metric.kind === 'per' ? 10 + workOfMetrics([metric.of]) : METRIC_TRAITS[metric.kind].work),
    0,
  );
