/** The time range that the rows of an answer tell of: a lifecycle's begins with its first bucket, others are as asked. */
import { bucketStart } from '../time/buckets.ts';
import type { TimeRange } from '../time/units.ts';
import { zoneOf } from './columns.ts';
import type { Plan } from './plan.ts';

export function shownRange(plan: Plan): TimeRange {
  const { range } = plan;
  if (plan.kind !== 'lifecycle' || range.from >= range.to) return range;
  return { ...range, from: bucketStart(zoneOf(plan), plan.unit, range.from) };
}
