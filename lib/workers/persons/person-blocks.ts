/** Persons of spans of rows, block by block, in the thread's memory. */
import type { RowContext } from '../query-context.ts';
import { eachBlock, type Vectors } from '../groups/vectors.ts';
import type { PersonSpans } from './select-events.ts';

export interface PersonBlock {
  /** Of the block's rows. */
  readonly vectors: Vectors;
  /** Address of their persons, as words. */
  readonly persons: number;
  readonly count: number;
  readonly bucket: number;
  /** The first index of the block. */
  readonly first: number;
}

export function forPersons(rows: PersonSpans, context: RowContext, use: (block: PersonBlock) => void): void {
  eachBlock(rows, context, (vectors, bucket, first) => {
    use({ vectors, persons: vectors.ids(rows.persons, null), count: vectors.count, bucket, first });
  });
}
