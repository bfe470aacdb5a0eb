/** Metrics over numbers share one pass: blocks of numbers with the slot of each. */
import type { Field } from '../../dsl/plan/plan.ts';
import { wordsAt } from '../../primitives/memory.ts';
import type { Scan } from '../groups/scan.ts';
import type { Slots } from '../groups/slots.ts';
import { eachBlock } from '../groups/vectors.ts';
import type { RowRange } from '../rows/row-set.ts';

/** The numbers values[from] to values[to - 1]; the slot of values[k] is slots[k - from], or `base` for all without slots. */
export interface NumberBlock extends RowRange {
  readonly values: Float64Array;
  readonly base: number;
  /** In the thread's memory; valid until the next block. */
  readonly slots: Uint32Array | null;
  /** Where the numbers of the block are in the thread's memory, until the next block. */
  readonly address: () => number;
}

/** Passes all numbers of the field in the scan to `use`, block by block. */
export function forNumbers(scan: Scan, slots: Slots, field: Field, use: (block: NumberBlock) => void): void {
  for (const { values, ...positions } of scan.numeric(field)) {
    eachBlock(positions, scan.context, (vectors, bucket, first) => {
      const { count } = vectors;
      const base = slots.base(bucket);
      const own = scan.slots.length === 0 ? null : wordsAt(vectors.slots(scan.slots, base), count);
      const address = (): number => vectors.placed(values, first);
      use({ values, from: first, to: first + count, base, slots: own, address });
    });
  }
}
