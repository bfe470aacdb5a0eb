/** Which time range of stored events a plan reads: usually its own. */
import type { Plan } from '../dsl/plan/plan.ts';
import type { TimeRange } from '../dsl/time/units.ts';

export function readRange(plan: Plan): TimeRange {
  // Whether a person is new depends on all earlier events.
  return plan.kind === 'lifecycle' ? { from: -Infinity, to: plan.range.to } : plan.range;
}
