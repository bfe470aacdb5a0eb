/** Rows to be written to a segment: pending events of a project, or rows of segments being compacted. In any order. */
import type { TextList } from './encoding/texts.ts';
import type { InsertIdRows } from './insert-ids/insert-ids.ts';
import type { RowOwners } from './triples.ts';

/** The values of one field; rows ascend, with a code or a number for each. */
export interface RawField {
  readonly field: number;
  /** Of each code; null: every row of the segment has one. */
  readonly rows: Uint32Array | null;
  readonly codes: Uint32Array;
  /** The segment's own texts, with codes from 1; null: codes are of the project's dictionary of the field. */
  readonly local: TextList | null;
  readonly numberRows: Uint32Array;
  readonly numbers: Float64Array;
}

/**
 * All arrays have `rows` values; 0 in an id column means none. Read each once: a compaction makes it only then, so that it never
 * has all columns in memory.
 */
export interface RawSegment extends RowOwners {
  readonly rows: number;
  readonly times: Float64Array;
  readonly arrivals: Float64Array;
  /** The arrival of each, milliseconds since the epoch; -Infinity if no longer known. */
  readonly received: Float64Array;
  readonly types: Uint32Array;
  readonly insertIds: InsertIdRows;
  readonly fields: Iterable<RawField>;
}
