/** What a plan takes for each row that it may read, about, once columns are decoded: nanoseconds of one thread. */
import { METRIC_TRAITS } from '../dsl/metrics.ts';
import type { Condition, Group, Plan } from '../dsl/plan.ts';
import { unreachable } from '../unreachable.ts';

/** A named event is a part of all events, and only its rows are read. */
const SHARE_OF_AN_EVENT = 1 / 4;

export function rowCost(plan: Plan): number {
  const share = 'event' in plan && plan.event !== null ? SHARE_OF_AN_EVENT : 1;
  const tests = 'where' in plan ? 0.5 * testsIn(plan.where) : 0;
  return share * (tests + ownCost(plan));
}

function ownCost(plan: Plan): number {
  switch (plan.kind) {
    case 'aggregate':
      return 1 + groupCost(plan.groups) + sum(plan.metrics.map(({ kind }) => METRIC_TRAITS[kind].work));
    case 'formula':
      return 4;
    case 'retention':
    case 'lifecycle':
    case 'stickiness':
      return 2;
    case 'funnel':
      return 1 + groupCost(plan.groups);
    case 'latest':
      return 10;
    case 'fields':
    case 'inspect':
      return 100;
    case 'list':
    case 'users':
    case 'paths':
    case 'choice':
    case 'sessions':
      return 5;
    default:
      return unreachable(plan);
  }
}

/** Several fields are mostly numbered by a hash table; ids and sessions are many. */
function groupCost(groups: readonly Group[]): number {
  const fields = groups.flatMap((group) => (group.kind === 'field' ? [group.field] : []));
  const manyValued = fields.some(({ kind }) => kind === 'core' || kind === 'latest');
  return fields.length > 1 || (fields.length === 1 && groups.length > 1) ? 10 : manyValued ? 8 : 1.5 * fields.length;
}

function testsIn(condition: Condition | null): number {
  switch (condition?.kind) {
    case undefined:
    case 'constant':
      return 0;
    case 'test':
      return 1;
    case 'not':
      return testsIn(condition.term);
    case 'and':
    case 'or':
      return sum(condition.terms.map(testsIn));
    default:
      return unreachable(condition);
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
