/** Metrics over numbers share one walk: blocks of numbers with the slot of each. */
import type { Field } from '../../dsl/plan.ts';
import type { Scan } from '../groups/scan.ts';
import { blocksOf } from '../groups/select.ts';
import type { Slots } from '../groups/slots.ts';
import { slotExpression } from '../loops/expressions.ts';
import type { LoopWriter } from '../loops/generate.ts';
import { packedLoop } from '../loops/packed.ts';

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
    // Plain form: `slots[k - from] = base + slot(i)`.
    const body = (inputs: LoopWriter): string =>
      `out[${rows === null ? 'i' : 'k'} - from] = a + ${slotExpression(scan.slots, inputs)};`;
    const loop = scan.slots.length === 0 ? null : packedLoop(body, rows);
    for (const span of spans) {
      const base = slots.base(span.bucket);
      for (const block of blocksOf(span.from, span.to)) {
        scan.context.checkpoint();
        const own = loop === null ? null : scratch(block.to - block.from);
        if (loop !== null) loop(own!, { ...block, a: base, b: 0 });
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
