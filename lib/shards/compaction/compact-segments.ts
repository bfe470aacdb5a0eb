/**
 * Compacts segments: merges their rows in order of time into full segments. Reads through the reader, writes nothing. Holds the rows
 * of one new segment, a column at a time, so that compactions need not fit into memory.
 */
import { encodeSegment, type EncodedSegment } from '../segment/encode.ts';
import type { IdScope } from '../segment/insert-ids/insert-filter.ts';
import type { StoredSegment } from '../segment/stored-segment.ts';
import { nothing, pickedRows } from './picked-rows.ts';
import { SegmentMerge } from './segment-merge.ts';

/** Approximate limit of a segment's own text, which readers decode at once. Bytes. */
export const SEGMENT_TEXT = 32 << 20;

export interface CompactionParts {
  readonly segmentRows: number;
  /** Of the segments' own text. */
  readonly bytes: number;
  /** Those that may be repeated. */
  readonly ids: IdScope;
  /** Drops the segments' decoded columns; left out: nothing keeps them. */
  readonly forget?: () => void;
}

/** `fields`: numbers of the project's columns by key. Segments in any order. */
export function compactSegments(
  segments: readonly StoredSegment[],
  fields: ReadonlyMap<string, number>,
  { segmentRows, bytes, ids, forget = nothing }: CompactionParts,
): EncodedSegment[] {
  const merge = new SegmentMerge(segments, forget);
  const { rows } = merge;
  const made: EncodedSegment[] = [];
  const parts = Math.max(1, Math.round(rows / segmentRows), Math.ceil(bytes / SEGMENT_TEXT));
  for (let part = 0; part < parts; part++) {
    const count = Math.floor((rows * (part + 1)) / parts) - Math.floor((rows * part) / parts);
    if (count === 0) continue;
    const { picked, order } = merge.take(count);
    made.push(encodeSegment(pickedRows(picked, fields, forget), order, ids));
  }
  return made;
}
