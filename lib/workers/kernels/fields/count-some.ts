import { primitives } from '../../../primitives/memory.ts';
import type { Positions } from '../../groups/positions.ts';
import { Vectors } from '../../groups/vectors.ts';
import type { QueryContext } from '../../query-context.ts';
import type { CodeArray } from '../../rows/field-column.ts';
import type { Filter } from '../../where/filter.ts';

/** How many of the positions' rows have a code other than 0. */
export function countSome(codes: CodeArray, { rows, spans }: Positions, context: QueryContext): number {
  const missing: Filter = { kind: 'table', codes, passes: NO_TABLE, only: 0 };
  const vectors = new Vectors(rows, context);
  let count = 0;
  for (const { from, to } of spans) {
    vectors.each(from, to, () => {
      count += vectors.count - primitives.countMask(vectors.mask(missing), vectors.count);
    });
  }
  vectors.end();
  return count;
}

/** Not read where only one code passes. */
const NO_TABLE = new Uint8Array(0);
