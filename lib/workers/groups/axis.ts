/**
 * The time buckets of an answer. Several groups of time (`by week, hour_of_day`) share one axis, cut wherever a bucket of one
 * begins; with parts of the calendar, which come again, cuts with the same labels are one bucket.
 */
import type { Group } from '../../dsl/plan/plan.ts';
import { CALENDAR_PARTS, partOfBucket } from '../../dsl/time/calendar-parts.ts';
import type { TimeRange } from '../../dsl/time/units.ts';
import { bucketIndex, bucketsOf } from '../../dsl/time/buckets.ts';
import type { Zone } from '../../dsl/time/zone.ts';
import type { SegmentSummary } from '../../shards/shard-reader.ts';
import { kept } from '../../base/kept.ts';
import type { RowRange } from '../rows/row-set.ts';
import { positionsOf, type Positions } from './positions.ts';

export interface Axis {
  /** Where rows are cut; null without groups of time: then there is one bucket. */
  readonly starts: Float64Array | null;
  /** The bucket of each cut; null: they are as many, in the same order. */
  readonly bucketOf: Uint32Array | null;
  /** How many buckets. */
  readonly count: number;
  /** How bucket `index` is printed in the `nth` group, a group of time. */
  label(nth: number, index: number): string;
}

/** @param cells Cuts that the time bucket has in place of its own, each printed as its number. */
export function axisOf(
  groups: readonly Group[],
  range: TimeRange,
  zone: Zone,
  cells: Float64Array | null = null,
): Axis {
  const scales = groups.map((group) =>
    cells !== null && group.kind === 'bucket' ? scaleOfCells(cells) : scaleOf(group, range, zone),
  );
  if (scales.every((scale) => scale === null)) return { starts: null, bucketOf: null, count: 1, label: () => '' };
  const starts = Float64Array.from(new Set(scales.flatMap((scale) => Array.from(scale?.starts ?? [])))).sort();
  // The first bucket of a longer unit may begin before a shorter unit's; no row lies between.
  const place = (scale: Scale, cut: number): number => scale.placeOf(bucketIndex(scale.starts, starts[cut]!));
  const labelOfCut = (nth: number, cut: number): string => scales[nth]!.labels[place(scales[nth]!, cut)]!;
  if (groups.every(({ kind }) => kind !== 'part'))
    return { starts, bucketOf: null, count: starts.length, label: labelOfCut };
  const known = new Map<string, number>();
  /** By bucket: one of its cuts. */
  const cutOf: number[] = [];
  const bucketOf = Uint32Array.from(starts, (_, cut) => {
    const key = scales.map((scale) => (scale === null ? '' : place(scale, cut))).join();
    return kept(known, key, () => cutOf.push(cut) - 1);
  });
  const buckets = { count: cutOf.length, label: (nth: number, index: number) => labelOfCut(nth, cutOf[index]!) };
  const comesAgain = bucketOf.some((bucket, cut) => cut > 0 && bucket < bucketOf[cut - 1]!);
  if (comesAgain) return { starts, bucketOf, ...buckets };
  return { starts: Float64Array.from(cutOf, (cut) => starts[cut]!), bucketOf: null, ...buckets }; // `by week, month_of_year`
}

/** Buckets of one unit, and the label of each, of which several may have the same. */
interface Scale {
  readonly starts: Float64Array;
  readonly labels: readonly string[];
  placeOf(bucket: number): number;
}

function scaleOfCells(starts: Float64Array): Scale {
  return { starts, labels: Array.from(starts, (_, at) => String(at)), placeOf: (cell) => cell };
}

function scaleOf(group: Group, range: TimeRange, zone: Zone): Scale | null {
  switch (group.kind) {
    case 'bucket':
      return { ...bucketsOf(range, group.unit, zone), placeOf: (bucket) => bucket };
    case 'part': {
      const { unit, labels } = CALENDAR_PARTS[group.part];
      const { starts } = bucketsOf(range, unit, zone);
      return { starts, labels, placeOf: (bucket) => partOfBucket(zone, group.part, starts[bucket]!) };
    }
    case 'field':
      return null;
  }
}

/** The rows in the axis' buckets. */
export function placedOn(
  { starts, bucketOf }: Axis,
  rows: Parameters<typeof positionsOf>[0],
  list: Uint32Array | null,
  range: RowRange,
): Positions {
  const cut = positionsOf(rows, list, range, starts);
  if (bucketOf === null) return cut;
  return { ...cut, spans: cut.spans.map((span) => ({ ...span, bucket: bucketOf[span.bucket]! })) };
}

/** Whether one of the segments may have rows in a bucket. */
export function sharedBuckets(axis: Axis, segments: readonly SegmentSummary[]): (bucket: number) => boolean {
  const { starts } = axis;
  if (starts === null || axis.bucketOf !== null || segments.length === 0) return () => segments.length > 0;
  const shared = new Uint8Array(axis.count);
  for (const { first, last } of segments) {
    const to = bucketIndex(starts, last);
    for (let bucket = bucketIndex(starts, first); bucket <= to; bucket++) shared[bucket] = 1;
  }
  return (bucket) => shared[bucket] === 1;
}
