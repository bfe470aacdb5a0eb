/** Windows of time, one for each bucket of a range, which end with it and may overlap. */
import { bucketIndex, bucketsOf, bucketStart, nextBucket } from './buckets.ts';
import { stepBack } from './duration.ts';
import type { Duration, TimeRange, TimeUnit } from './units.ts';
import type { Zone } from './zone.ts';

/** How long a window is; null: since the range began; `bucket`: it is its bucket, as far as that is in the range. */
export type WindowSpan = Duration | 'bucket' | null;

/**
 * The metrics of a bucket are those of a window that ends with it, and begins `span` before its end or, without one, with the range.
 * The plan's own range has all windows, `shown` that of the rows.
 */
export interface Rolling {
  readonly span: WindowSpan;
  readonly shown: TimeRange;
  /** Of a formula: by operand, in place of `span`. */
  readonly spans?: readonly WindowSpan[];
}

/** `from[i] <= time < to[i]`. Neither ever decreases. */
export interface BucketWindows {
  readonly from: Float64Array;
  readonly to: Float64Array;
  /** Of the buckets, as printed. */
  readonly labels: readonly string[];
}

/**
 * The window of each bucket: it ends where the bucket or the range does, and begins `span` before, but never before the one ahead
 * of it.
 */
export function windowsOf(range: TimeRange, span: WindowSpan, unit: TimeUnit, zone: Zone): BucketWindows {
  const { starts, labels } = bucketsOf(range, unit, zone);
  const to = starts.map((_, at) => starts[at + 1] ?? range.to);
  let last = -Infinity;
  const begin = (end: number, at: number): number => {
    if (span === 'bucket') return Math.max(starts[at]!, range.from);
    return span === null ? range.from : stepBack(end, span, zone);
  };
  const from = to.map((end, at) => (last = Math.max(last, begin(end, at))));
  return { from, to, labels };
}

/** Where the first window begins, which needs no other; the start of a range without buckets. */
export function firstBegin({ from, to }: TimeRange, span: WindowSpan, unit: TimeUnit, zone: Zone): number {
  const end = Math.min(to, nextBucket(zone, unit, bucketStart(zone, unit, from)));
  return windowsOf({ from, to: end }, span, unit, zone).from[0] ?? from;
}

/** Where time is cut so that every window is made of whole cells: cells `first[i]` to `end[i] - 1` are window i. */
export interface Cells {
  readonly starts: Float64Array;
  readonly first: Uint32Array;
  readonly end: Uint32Array;
}

/** Those of several kinds of windows of the same buckets, with the same cells. @param begin No time lies before it. */
export function cellsOf(windows: readonly BucketWindows[], begin: number): readonly Cells[] {
  const cuts = new Set([begin, ...windows.flatMap(({ from, to }) => [...from, ...to])]);
  const last = windows[0]?.to.at(-1);
  if (last !== undefined) cuts.delete(last);
  const starts = Float64Array.from(cuts).sort();
  return windows.map((one) => ({ starts, ...cellsIn(starts, one) }));
}

function cellsIn(starts: Float64Array, { from, to }: BucketWindows): Omit<Cells, 'starts'> {
  const last = to.at(-1);
  const cellAt = (time: number): number => (time === last ? starts.length : bucketIndex(starts, time));
  return { first: Uint32Array.from(from, cellAt), end: Uint32Array.from(to, cellAt) };
}
