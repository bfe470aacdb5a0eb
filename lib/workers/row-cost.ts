/** About how much time a plan takes per row that it may read, once columns are decoded: nanoseconds of one thread. */
import { testsOf } from '../dsl/plan/conditions.ts';
import { traitsOf } from '../dsl/plan/plan-traits.ts';
import type { Plan } from '../dsl/plan/plan.ts';

/** A named event is a fraction of all events, and only its rows are read. */
const SHARE_OF_AN_EVENT = 1 / 4;

export function rowCost(plan: Plan): number {
  const share = 'event' in plan && plan.event !== null ? SHARE_OF_AN_EVENT : 1;
  return share * (0.5 * testsOf(plan.where).length + traitsOf(plan).work);
}
