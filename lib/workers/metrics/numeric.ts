/** Metrics over numbers share one walk: blocks of numbers with the slot of each. */
import type { Field } from '../../dsl/plan.ts';
import { blocksOf, type Scan } from '../groups/scan.ts';
import type { Slots } from '../groups/slots.ts';
import { slotExpression } from '../loops/expressions.ts';
import { LoopInputs, loopOf } from '../loops/generate.ts';

/** The numbers values[from] to values[to - 1]; the slot of values[k] is slots[k - from], or `base` for all without slots. */
export interface NumberBlock {
  readonly values: Float64Array;
  readonly from: number;
  readonly to: number;
  readonly base: number;
  readonly slots: Uint32Array | null;
}

/** Hands all numbers of the field in the scan to `use`, block by block. */
export function forNumbers(scan: Scan, slots: Slots, field: Field, use: (block: NumberBlock) => void): void {
  for (const { rows, values, spans } of scan.numeric(field)) {
    const inputs = new LoopInputs();
    const slot = slotExpression(scan.slots, inputs);
    // Plain form: `slots[k - from] = base + slot(i)`.
    const loop = slot === '' ? null : loopOf(`out[k - from] = a + ${slot};`, inputs, rows !== null);
    for (const span of spans) {
      const base = slots.base(span.bucket);
      for (const block of blocksOf(span.from, span.to)) {
        scan.context.checkpoint();
        const own = loop === null ? null : scratch(block.to - block.from);
        if (loop !== null) loop(own!, inputs.arrays, rows, { ...block, a: base, b: 0 });
        use({ values, ...block, base, slots: own });
      }
    }
  }
}

/** Reused from block to block: whoever uses it is done before the next. */
let shared = new Uint32Array(0);

function scratch(length: number): Uint32Array {
  if (shared.length < length) shared = new Uint32Array(length);
  return shared;
}
