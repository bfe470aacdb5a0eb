/** Which time of stored events a plan reads: mostly its range. */
import type { Plan } from '../dsl/plan/plan.ts';
import type { TimeRange } from '../dsl/time/units.ts';

export function readRange(plan: Plan): TimeRange {
  // Who is new is known from all that came before.
  return plan.kind === 'lifecycle' ? { from: -Infinity, to: plan.range.to } : plan.range;
}
