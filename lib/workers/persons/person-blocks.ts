/** Persons of spans of rows, block by block, in the thread's memory. */
import type { RowContext } from '../query-context.ts';
import { Vectors } from '../groups/vectors.ts';
import type { PersonSpans } from './select-persons.ts';

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

export function forPersons(
  { persons, list, spans }: PersonSpans,
  context: RowContext,
  use: (block: PersonBlock) => void,
): void {
  const vectors = new Vectors(list, context);
  for (const { bucket, from, to } of spans) {
    vectors.each(from, to, (first) => {
      use({ vectors, persons: vectors.ids(persons, null), count: vectors.count, bucket, first });
    });
  }
  vectors.end();
}
