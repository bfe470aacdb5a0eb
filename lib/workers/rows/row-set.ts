/** Rows with fields, in order of time: events of a segment, profiles, or the rows of `latest`. What kernels read. */
import type { Field } from '../../dsl/plan/plan.ts';
import type { Segment } from '../../shards/shard-reader.ts';
import type { FieldColumn } from './field-column.ts';

export interface RowSet {
  readonly rows: number;
  /** Time of the first row, if known without reading any. */
  readonly first?: number;
  /** Milliseconds since the epoch, ascending: what buckets and the range refer to. */
  times(): Float64Array;
  /** First row at or after the time; `rows` if none. */
  rowAt(time: number): number;
  /** null: no row has a value. */
  field(field: Field): FieldColumn | null;
}

/** The events of one segment. */
export interface SegmentRows extends RowSet {
  readonly segment: Segment;
  /** The person of each row; 0: nobody. */
  persons(): Uint32Array;
}

/** First index in an ascending array at or after `value`, searched in [from, to). */
export function lowerBound(sorted: Float64Array | Uint32Array, value: number, from = 0, to = sorted.length): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
