/** The times in which touches may lie. */
import { DAY } from '../time/calendar.ts';
import { addDuration, fixedLength } from '../time/duration.ts';
import type { TimeRange } from '../time/units.ts';
import { zoneOf } from './columns.ts';
import type { AttributionPlan } from './plan.ts';

/** What a zone may add to a window of months or skip of it, and the days that a month lacks. */
const CALENDAR_SLACK = 2 * DAY;

/** Of all conversions in the plan's range. */
export function touchRange(plan: AttributionPlan): TimeRange {
  const { range, window } = plan;
  const from = addDuration(range.from, window, zoneOf(plan), -1);
  return { from: fixedLength(window) === null ? from - CALENDAR_SLACK : from, to: range.to };
}
