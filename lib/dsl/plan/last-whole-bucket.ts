/** The bucket of a lifecycle whose people are shown. */
import { bucketStart, nextBucket } from '../time/buckets.ts';
import type { TimeRange } from '../time/units.ts';
import { zoneOf } from './columns.ts';
import type { LifecyclePlan } from './plan.ts';
import { shownRange } from './shown-range.ts';

/** The last bucket that the range has whole, and where the one before begins; null: there is none. */
export function lastWholeBucket(plan: LifecyclePlan): (TimeRange & { readonly before: number }) | null {
  const { from, to } = shownRange(plan);
  const zone = zoneOf(plan);
  const start = bucketStart(zone, plan.unit, bucketStart(zone, plan.unit, to) - 1);
  if (from >= to || start < from) return null;
  return { from: start, to: nextBucket(zone, plan.unit, start), before: bucketStart(zone, plan.unit, start - 1) };
}
