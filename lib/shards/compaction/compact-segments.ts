/** Compacts segments: merges their rows in order of time into full segments. Reads through the reader, writes nothing. */
import { buffersPassed } from '../../base/young-buffers.ts';
import { Lease } from '../../primitives/lease.ts';
import { encodeSegment, type EncodedSegment } from '../segment/encode.ts';
import type { IdScope } from '../segment/insert-ids/insert-filter.ts';
import { timeOrder } from '../segment/sort.ts';
import type { StoredSegment } from '../segment/stored-segment.ts';
import { pickedRows, type Picked } from './picked-rows.ts';

/** Approximate limit of a segment's own text, which readers decode at once. Bytes. */
export const SEGMENT_TEXT = 32 << 20;

/** What sorting leaves to be freed, bytes a row: the decoded times and arrivals of segments, and the order. */
const SORT_BYTES = 20;

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
  buffersPassed(rows * SORT_BYTES);
  const made: EncodedSegment[] = [];
  const parts = Math.max(1, Math.round(rows / segmentRows), Math.ceil(bytes / SEGMENT_TEXT));
  for (let part = 0; part < parts; part++) {
    const from = Math.floor((rows * part) / parts);
    const until = Math.floor((rows * (part + 1)) / parts);
    if (until > from) made.push(encodePart(segments, fields, { order: order.subarray(from, until), ids }));
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

/** The order of all rows of the segments, which are numbered one segment after the other. */
function orderOf(segments: readonly StoredSegment[]): Uint32Array {
  using lease = new Lease();
  const rows = segments.reduce((sum, segment) => sum + segment.rows, 0);
  const times = lease.floats(rows);
  const arrivals = lease.floats(rows);
  let at = 0;
  for (const segment of segments) {
    times.set(segment.times(), at);
    arrivals.set(segment.arrivals(), at);
    at += segment.rows;
  }
  return timeOrder({ rows, times, arrivals });
}
