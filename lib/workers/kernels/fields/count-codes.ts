/** How often codes occur in rows. */
import { primitives } from '../../../primitives/memory.ts';
import type { Positions } from '../../groups/positions.ts';
import { eachBlock } from '../../groups/vectors.ts';
import type { SlotState } from '../../metrics/state-array.ts';
import type { QueryContext } from '../../query-context.ts';
import type { CodeArray } from '../../rows/field-column.ts';
import { onlyCode } from '../../where/filter.ts';

/** Plain form, for the rows of the positions: `counts[codes[row]]++`. */
export function countRowCodes(
  codes: CodeArray,
  positions: Positions,
  counts: SlotState<Uint32Array>,
  context: QueryContext,
): void {
  eachBlock(positions, context, (vectors) => {
    const { address, size } = vectors.codes(codes);
    primitives.countCodes(address, size, vectors.count, counts.address, 0);
  });
}

/** How many of the positions' rows have a code other than 0. */
export function countSome(codes: CodeArray, positions: Positions, context: QueryContext): number {
  const missing = onlyCode(codes, 0);
  let count = 0;
  eachBlock(positions, context, (vectors) => {
    count += vectors.count - primitives.countMask(vectors.mask(missing), vectors.count);
  });
  return count;
}
