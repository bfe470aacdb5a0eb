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
  const own = scales.filter((scale) => scale !== null);
  if (own.length === 0) return { starts: null, bucketOf: null, count: 1, label: () => '' };
  const starts = own.length === 1 ? own[0]!.starts : cutsOf(own);
  const places = scales.map((scale) => (scale === null ? null : placesOn(scale, starts)));
  const labelOfCut = (nth: number, cut: number): string => scales[nth]!.labels[places[nth]![cut]!]!;
  if (groups.every(({ kind }) => kind !== 'part'))
    return { starts, bucketOf: null, count: starts.length, label: labelOfCut };
  const bucketOf = new Uint32Array(starts.length);
  for (const [nth, scale] of scales.entries()) if (scale !== null) splitBuckets(bucketOf, places[nth]!, scale.size);
  /** By bucket: its first cut. */
  const cutOf: number[] = [];
  for (let cut = 0; cut < bucketOf.length; cut++) if (bucketOf[cut] === cutOf.length) cutOf.push(cut);
  const buckets = { count: cutOf.length, label: (nth: number, index: number) => labelOfCut(nth, cutOf[index]!) };
  const comesAgain = bucketOf.some((bucket, cut) => cut > 0 && bucket < bucketOf[cut - 1]!);
  if (comesAgain) return { starts, bucketOf, ...buckets };
  return { starts: Float64Array.from(cutOf, (cut) => starts[cut]!), bucketOf: null, ...buckets }; // `by week, month_of_year`
}

/** Buckets of one unit, and the place of each among the labels, which several may share. */
interface Scale {
  readonly starts: Float64Array;
  /** How many labels there are. */
  readonly size: number;
  readonly labels: readonly string[];
  placeOf(bucket: number): number;
}

function scaleOfCells(starts: Float64Array): Scale {
  const labels = Array.from(starts, (_, at) => String(at));
  return { starts, size: starts.length, labels, placeOf: (cell) => cell };
}

/** Wherever a bucket of one of the scales begins. */
function cutsOf(scales: readonly Scale[]): Float64Array {
  const cuts = new Set<number>();
  for (const { starts } of scales) for (const start of starts) cuts.add(start);
  return Float64Array.from(cuts).sort();
}

/** The place of each cut on one of the scales that made the cuts. */
function placesOn(scale: Scale, cuts: Float64Array): Uint32Array {
  const { starts } = scale;
  const places = new Uint32Array(cuts.length);
  let bucket = 0; // the first one of a longer unit may begin before all cuts: no row lies between
  for (let cut = 0; cut < cuts.length; cut++) {
    while (bucket + 1 < starts.length && starts[bucket + 1]! <= cuts[cut]!) bucket++;
    places[cut] = scale.placeOf(bucket);
  }
  return places;
}

/** Numbers the buckets anew, in the order of their cuts: those of one bucket stay together if they have one place, of `size`. */
function splitBuckets(bucketOf: Uint32Array, places: Uint32Array, size: number): void {
  const known = new Map<number, number>();
  for (let cut = 0; cut < places.length; cut++)
    bucketOf[cut] = kept(known, bucketOf[cut]! * size + places[cut]!, () => known.size);
}

function scaleOf(group: Group, range: TimeRange, zone: Zone): Scale | null {
  switch (group.kind) {
    case 'bucket': {
      const buckets = bucketsOf(range, group.unit, zone);
      const { starts } = buckets;
      return {
        ...{ starts, size: starts.length, placeOf: (bucket) => bucket },
        get labels() {
          return buckets.labels; // made when they are asked for
        },
      };
    }
    case 'part': {
      const { unit, labels } = CALENDAR_PARTS[group.part];
      const { starts } = bucketsOf(range, unit, zone);
      const { length: size } = labels;
      return { starts, size, labels, placeOf: (bucket) => partOfBucket(zone, group.part, starts[bucket]!) };
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
  return { ...cut, spans: cut.spans.map(({ bucket, from, to }) => ({ bucket: bucketOf[bucket]!, from, to })) };
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
