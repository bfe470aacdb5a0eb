/** Which rows of a set to read, in spans of one time bucket each. */
import { bucketIndex } from '../../dsl/time/buckets.ts';
import { lowerBound } from '../../base/lower-bound.ts';
import type { RowSet, RowRange } from '../rows/row-set.ts';

export interface RowSpan extends RowRange {
  readonly bucket: number;
}

export interface Positions {
  /** Ascending; null: spans hold rows themselves. */
  readonly rows: Uint32Array | null;
  /** Ascending, none empty. */
  readonly spans: readonly RowSpan[];
}

export const NO_ROWS: Positions = { rows: null, spans: [] };

/** Rows `from` to `to - 1`, in one bucket. */
export const rowsFrom = ({ from, to }: RowRange): Positions =>
  from < to ? { rows: null, spans: [{ bucket: 0, from, to }] } : NO_ROWS;

/** How many rows are in spans. */
export const rowsIn = (spans: readonly RowRange[]): number => spans.reduce((sum, { from, to }) => sum + to - from, 0);

/** The entries of the list of rows, or the rows, from the first span to the last. */
export function rangeOf({ spans }: Positions): RowRange {
  return { from: spans[0]?.from ?? 0, to: spans.at(-1)?.to ?? 0 };
}

/** The rows from the first to the last. */
export function rowRange(positions: Positions): RowRange {
  const { rows } = positions;
  const { from, to } = rangeOf(positions);
  return rows === null || to === from ? { from, to } : { from: rows[from]!, to: rows[to - 1]! + 1 };
}

/** The rows from the first to the last of positions without gaps between spans. */
export function listedRows(positions: Positions): Uint32Array {
  const { from, to } = rangeOf(positions);
  if (positions.rows !== null) return positions.rows.subarray(from, to);
  const rows = new Uint32Array(to - from);
  for (let at = 0; at < rows.length; at++) rows[at] = from + at;
  return rows;
}

/** What can be cut by time. */
type Timed = Pick<RowSet, 'rowAt' | 'first'>;

/**
 * Cuts the entries `from` to `to` of a list of rows (null: of all rows) where buckets begin. Rows are in order of time, so a
 * bucket is a range.
 * @param starts First instants of the buckets; null: one bucket, 0.
 */
export function positionsOf(
  rows: Timed,
  list: Uint32Array | null,
  range: RowRange,
  starts: Float64Array | null,
): Positions {
  const { from, to } = range;
  if (from >= to) return { rows: list, spans: [] };
  if (starts === null || starts.length === 1) return { rows: list, spans: [{ bucket: 0, from, to }] };
  const spans: RowSpan[] = [];
  let at = from;
  // The bucket of the first row of all is near, usually the right one; if it has none of these rows, it is skipped.
  let bucket =
    rows.first === undefined ? bucketAt(rows, list === null ? at : list[at]!, starts) : bucketIndex(starts, rows.first);
  while (at < to) {
    const next = bucket + 1 < starts.length ? placeOf(rows, list, starts[bucket + 1]!, { from: at, to }) : to;
    if (next > at) {
      spans.push({ bucket, from: at, to: next });
      at = next;
    }
    // After an empty bucket, look up the next row's bucket: there may be far more buckets than rows.
    else if (at < to) bucket = bucketAt(rows, list === null ? at : list[at]!, starts) - 1;
    bucket++;
  }
  return { rows: list, spans };
}

/** The same spans over another list. `placed` maps a range of the old list to the new one. */
export function movedSpans(
  spans: readonly RowSpan[],
  placed: (from: number, to: number) => { from: number; to: number },
): RowSpan[] {
  return spans.flatMap(({ bucket, from, to }) => {
    const span = placed(from, to);
    return span.from < span.to ? [{ bucket, ...span }] : [];
  });
}

function placeOf(rows: Timed, list: Uint32Array | null, time: number, { from, to }: RowRange): number {
  const row = rows.rowAt(time);
  return list === null ? Math.min(Math.max(row, from), to) : lowerBound(list, row, from, to);
}

/** The bucket of a row, found without its time: the last one that begins at or before it. */
function bucketAt(rows: Timed, row: number, starts: Float64Array): number {
  let low = 0;
  let high = starts.length;
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if (rows.rowAt(starts[middle]!) <= row) low = middle;
    else high = middle;
  }
  return low;
}
