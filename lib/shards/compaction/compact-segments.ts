/** Compacts segments: merges their rows in order of time into full segments. Reads through the reader, writes nothing. */
import { freeColumns } from '../../base/young-buffers.ts';
import { encodeSegment, type EncodedSegment } from '../segment/encode.ts';
import type { IdScope } from '../segment/insert-ids/insert-filter.ts';
import type { StoredSegment } from '../segment/stored-segment.ts';
import { pickedRows, type Picked } from './picked-rows.ts';

/** Approximate limit of a segment's own text, which readers decode at once. Bytes. */
export const SEGMENT_TEXT = 32 << 20;

/**
 * `fields`: numbers of the project's columns by key; `bytes`: the segments' own text; `ids`: repeatable ones. Segments in any
 * order.
 */
export function compactSegments(
  segments: readonly StoredSegment[],
  fields: ReadonlyMap<string, number>,
  { segmentRows, bytes, ids }: { readonly segmentRows: number; readonly bytes: number; readonly ids: IdScope },
): EncodedSegment[] {
  const order = orderOf(segments);
  const rows = order.length;
  freeColumns(rows); // decoded times and arrivals
  const made: EncodedSegment[] = [];
  const parts = Math.max(1, Math.round(rows / segmentRows), Math.ceil(bytes / SEGMENT_TEXT));
  for (let part = 0; part < parts; part++) {
    const from = Math.floor((rows * part) / parts);
    const until = Math.floor((rows * (part + 1)) / parts);
    if (until > from) made.push(encodePart(segments, fields, { order: order.subarray(from, until), ids }));
    freeColumns(until - from);
  }
  return made;
}

/** Makes a segment of some rows. Holds only those, a column at a time, so compactions need not fit into memory. */
function encodePart(
  segments: readonly StoredSegment[],
  fields: ReadonlyMap<string, number>,
  { order, ids }: { readonly order: Uint32Array; readonly ids: IdScope },
): EncodedSegment {
  const { picked, own } = pick(segments, order);
  return encodeSegment(pickedRows(picked, fields), own, ids);
}

/** The rows of a part by segment, and its order in terms of these. */
function pick(
  segments: readonly StoredSegment[],
  order: Uint32Array,
): { readonly picked: readonly Picked[]; readonly own: Uint32Array } {
  const ranks = new Uint32Array(segments.reduce((sum, { rows }) => sum + rows, 0)); // by row of all segments
  for (const row of order) ranks[row] = 1;
  const picked: Picked[] = [];
  let start = 0;
  let count = 0;
  for (const segment of segments) {
    const before = count;
    const rows = new Uint32Array(segment.rows);
    for (let row = 0; row < segment.rows; row++) {
      if (ranks[start + row] === 0) continue;
      ranks[start + row] = count;
      rows[count++ - before] = row;
    }
    start += segment.rows;
    if (count > before) picked.push({ segment, rows: rows.slice(0, count - before) });
  }
  return { picked, own: order.map((row) => ranks[row]!) };
}

/** The order of all rows of the segments, which are numbered one segment after the other. Each segment is in order. */
function orderOf(segments: readonly StoredSegment[]): Uint32Array {
  const rows = segments.reduce((sum, segment) => sum + segment.rows, 0);
  const times = new Float64Array(rows);
  const arrivals = new Float64Array(rows);
  const ends: number[] = [];
  let end = 0;
  for (const segment of segments) {
    times.set(segment.times(), end);
    arrivals.set(segment.arrivals(), end);
    ends.push((end += segment.rows));
  }
  return mergeRuns(ends, (a, b) => times[a]! < times[b]! || (times[a] === times[b] && arrivals[a]! < arrivals[b]!));
}

/** The numbers up to the last end in order, given that those up to each end are: runs are merged by twos. */
function mergeRuns(ends: readonly number[], before: (a: number, b: number) => boolean): Uint32Array {
  let from = Uint32Array.from({ length: ends.at(-1) ?? 0 }, (_, i) => i);
  let runs = ends;
  while (runs.length > 1) {
    const to = new Uint32Array(from.length);
    const merged: number[] = [];
    for (let run = 0; run < runs.length; run += 2) {
      const [start, middle, end] = [runs[run - 1] ?? 0, runs[run]!, runs[run + 1] ?? runs[run]!];
      for (let i = start, j = middle, k = start; k < end; k++)
        to[k] = i < middle && (j === end || !before(from[j]!, from[i]!)) ? from[i++]! : from[j++]!;
      merged.push(end);
    }
    from = to;
    runs = merged;
  }
  return from;
}
