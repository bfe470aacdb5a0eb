/** About how much time a plan takes per row that it may read, once columns are decoded: nanoseconds of one thread. */
import { traitsOf } from '../dsl/plan/plan-traits.ts';
import type { Condition, Plan } from '../dsl/plan/plan.ts';
import { unreachable } from '../base/unreachable.ts';

/** A named event is a fraction of all events, and only its rows are read. */
const SHARE_OF_AN_EVENT = 1 / 4;

export function rowCost(plan: Plan): number {
  const share = 'event' in plan && plan.event !== null ? SHARE_OF_AN_EVENT : 1;
  const tests = 'where' in plan ? 0.5 * testsIn(plan.where) : 0;
  return share * (tests + traitsOf(plan).work);
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
      return condition.terms.reduce((sum, term) => sum + testsIn(term), 0);
    default:
      return unreachable(condition);
  }
}
