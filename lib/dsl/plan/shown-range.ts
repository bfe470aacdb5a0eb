/**
 * The time range that the rows of an answer tell of: a lifecycle's begins with its first bucket; the plan of one with windows
 * reads what lies before its range, too.
 */
import { bucketStart } from '../time/buckets.ts';
import type { TimeRange } from '../time/units.ts';
import { zoneOf } from './columns.ts';
import type { Plan } from './plan.ts';

/** The time range in which notes look for events and values that the query asks for. */
export function observedRange(plan: Plan): TimeRange {
  return plan.kind === 'latest' && plan.asOf !== null ? { from: -Infinity, to: plan.range.to } : shownRange(plan);
}

export function shownRange(plan: Plan): TimeRange {
  const range = askedRange(plan);
  if (plan.kind !== 'lifecycle' || range.from >= range.to) return range;
  return { ...range, from: bucketStart(zoneOf(plan), plan.unit, range.from) };
}

/** The range that a query asks for: windows read what lies before it, too. */
export function askedRange(plan: Plan): TimeRange {
  return 'rolling' in plan && plan.rolling !== undefined ? plan.rolling.shown : plan.range;
}
