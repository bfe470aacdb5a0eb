/** The times in which touches may lie. */
import { addDuration, fixedLength } from '../time/duration.ts';
import type { TimeRange } from '../time/units.ts';
import { zoneOf } from './columns.ts';
import type { AttributionPlan } from './plan.ts';
import { LARGEST_SHIFT } from '../time/transitions.ts';

/** Of all conversions in the plan's range. */
export function touchRange(plan: AttributionPlan): TimeRange {
  const { range, window } = plan;
  const from = addDuration(range.from, window, zoneOf(plan), -1);
  return { from: fixedLength(window) === null ? from - LARGEST_SHIFT : from, to: range.to };
}
