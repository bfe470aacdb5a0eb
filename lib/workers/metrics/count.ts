/** How many rows. */
import type { Budget } from '../budget.ts';
import { blocksOf, type Scan } from '../groups/scan.ts';
import type { Slots } from '../groups/slots.ts';
import { filterExpression, slotExpression } from '../loops/expressions.ts';
import { LoopInputs, loopOf } from '../loops/generate.ts';
import type { Accumulator } from './accumulator.ts';
import type { MetricPartial } from './metric-partial.ts';
import { countsBySlot, type SlotState } from './state-array.ts';

export class CountAccumulator implements Accumulator {
  readonly #counts: SlotState<Uint32Array<ArrayBuffer>>;

  constructor(budget: Budget) {
    this.#counts = countsBySlot(budget);
  }

  has(slot: number): boolean {
    return (this.#counts.values[slot] ?? 0) > 0;
  }

  /** Adds rows that are known to be in a slot. */
  addTo(slot: number, rows: number): void {
    this.#counts.values[slot]! += rows;
  }

  /**
   * Filter and slots in one pass. Plain form: `if (filter(i)) counts[base + slot(i)]++`; without groups
   * `if (filter(i)) n++`.
   */
  add(scan: Scan, slots: Slots): void {
    const { filter, positions } = scan;
    if (filter.kind === 'constant' && filter.value === 0) return;
    const counts = this.#counts.values;
    const inputs = new LoopInputs();
    const passes = filterExpression(filter, inputs);
    const slot = slotExpression(scan.slots, inputs);
    const simple = slot === '' && filter.kind === 'constant';
    const loop = simple ? null : loopOf(bodyOf(passes, slot), inputs, positions.rows !== null);
    for (const { bucket, from, to } of positions.spans) {
      const base = slots.base(bucket);
      if (loop === null) {
        counts[base]! += to - from;
        continue;
      }
      for (const block of blocksOf(from, to)) {
        scan.context.checkpoint();
        // Not in one expression: its left side would be read before the loop writes to the same place.
        const counted = loop(counts, inputs.arrays, positions.rows, { ...block, a: base, b: 0 });
        counts[base]! += counted;
      }
    }
  }

  resize(count: number): void {
    this.#counts.resize(count);
  }
  remap(moved: Uint32Array, count: number): void {
    this.#counts.remap(moved, count);
  }

  partial(slots: Uint32Array): MetricPartial {
    return { kind: 'count', counts: Float64Array.from(this.#counts.pick(slots)) };
  }
}

function bodyOf(passes: string, slot: string): string {
  if (slot === '') return `n += ${passes};`;
  return passes === '1' ? `out[a + ${slot}]++;` : `out[a + ${slot}] += ${passes};`;
}
