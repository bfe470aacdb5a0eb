/** The time buckets of an answer. Several bucket groups (`by week, day`) share one axis, cut wherever a bucket of one begins. */
import type { Group } from '../../dsl/plan/plan.ts';
import type { TimeRange } from '../../dsl/time/units.ts';
import { bucketIndex, bucketsOf } from '../../dsl/time/buckets.ts';
import type { Zone } from '../../dsl/time/zone.ts';
import type { SegmentSummary } from '../../shards/shard-reader.ts';

export interface Axis {
  /** First instants of the buckets; null without bucket groups: then there is one bucket. */
  readonly starts: Float64Array | null;
  readonly count: number;
  /** How bucket `index` is printed in the `nth` group, a bucket group. */
  label(nth: number, index: number): string;
}

export function axisOf(groups: readonly Group[], range: TimeRange, zone: Zone): Axis {
  const units = groups.map((group) => (group.kind === 'bucket' ? bucketsOf(range, group.unit, zone) : null));
  const cuts = units.flatMap((unit) => (unit === null ? [] : Array.from(unit.starts)));
  if (units.every((unit) => unit === null)) return { starts: null, count: 1, label: () => '' };
  const starts = Float64Array.from(new Set(cuts)).sort();
  // The first bucket of a longer unit may begin before a shorter unit's; no row lies between.
  const label = (nth: number, index: number): string => {
    const unit = units[nth]!;
    return unit!.labels[bucketIndex(unit!.starts, starts[index]!)]!;
  };
  return { starts, count: starts.length, label };
}

/** Whether one of the segments may have rows in a bucket. */
export function sharedBuckets(axis: Axis, segments: readonly SegmentSummary[]): (bucket: number) => boolean {
  const { starts } = axis;
  if (starts === null || segments.length === 0) return () => segments.length > 0;
  const shared = new Uint8Array(axis.count);
  for (const { first, last } of segments) {
    const to = bucketIndex(starts, last);
    for (let bucket = bucketIndex(starts, first); bucket <= to; bucket++) shared[bucket] = 1;
  }
  return (bucket) => shared[bucket] === 1;
}
