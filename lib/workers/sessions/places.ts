/** One array for a field of all sessions, and where it holds each event's session. */
import type { SegmentRows } from '../rows/row-set.ts';
import type { CodeArray } from '../rows/field-column.ts';
import type { SessionSet } from './session-set.ts';

/** Place 0, and any other that no session has, means no session. */
export interface Places {
  readonly set: SessionSet;
  /** All places are below this. */
  readonly length: number;
  /** The codes of a column, by part of the set, arranged by place: 0 without a session. @param size The largest code. */
  codes(column: readonly Uint32Array[], size: number): CodeArray;
  /** The numbers of a column by place: NaN where there is no session. */
  numbers(column: readonly Float64Array[]): Float64Array;
  /** The place of each row's session. */
  of(rows: SegmentRows): Uint32Array;
}
