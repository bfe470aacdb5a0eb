/** Rows with fields, in order of time: events of a segment, profiles, or the rows of `latest`. What kernels read. */
import { lowerBound } from '../../base/lower-bound.ts';
import type { Field } from '../../dsl/plan/plan.ts';
import type { Segment } from '../../shards/shard-reader.ts';
import type { CodeArray, FieldColumn } from './field-column.ts';

/** Rows `from` to `to - 1`, or the entries `from` to `to - 1` of a list of rows. */
export interface RowRange {
  readonly from: number;
  readonly to: number;
}

export interface RowSet {
  readonly rows: number;
  /** Those that are read: what is computed by row may hold anything for others. Left out: all. */
  readonly read?: RowRange;
  /** Time of the first row, if known without reading any. */
  readonly first?: number;
  /** First row at or after the time that buckets and the range refer to, milliseconds since the epoch; `rows` if none. */
  rowAt(time: number): number;
  /** null: no row has a value. */
  field(field: Field): FieldColumn | null;
  /** The person of each row; 0: nobody. Left out: they are the codes of the field `distinct_id`. */
  persons?(): Uint32Array;
  /** Of rows that were divided by a field with arrays: the element of each row. */
  elements?(field: Field): FieldColumn | null;
}

export const readOf = ({ read, rows }: Pick<RowSet, 'read' | 'rows'>): RowRange => read ?? { from: 0, to: rows };

/** The entries of a list that are rows of a range; null: the list of all rows. */
export function entriesIn(list: Uint32Array | null, { from, to }: RowRange): RowRange {
  if (list === null) return { from, to };
  const first = lowerBound(list, from);
  return { from: first, to: lowerBound(list, to, first) };
}

/** The person of each row; 0: nobody. null: no row has one. */
export function personsOf(rows: RowSet): CodeArray | null {
  return rows.persons?.() ?? rows.field(DISTINCT_ID)?.codes ?? null;
}

const DISTINCT_ID: Field = { kind: 'core', name: 'distinct_id' };

/** The events of one segment. */
export interface SegmentRows extends RowSet {
  readonly segment: Segment;
  /** Ascending. */
  times(): Float64Array;
  /** The person of each row; 0: nobody. */
  persons(): Uint32Array;
}
