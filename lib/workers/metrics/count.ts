/** How many rows. */
import type { Budget } from '../budget.ts';
import type { Scan } from '../groups/scan.ts';
import { blocksOf, countSelected } from '../groups/select.ts';
import type { Span } from '../groups/positions.ts';
import type { Slots } from '../groups/slots.ts';
import { filterExpression, slotExpression } from '../loops/expressions.ts';
import { packedLoop, type PackedInputs, type PackedLoop } from '../loops/packed.ts';
import type { Accumulator } from './accumulator.ts';
import type { MetricPartial } from './metric-partial.ts';
import { countsBySlot, type SlotState } from './state-array.ts';
import { threshold } from '../../threshold.ts';

/** Slots of a bucket up to which four rows are counted apart: adding to one place four times in a row waits each time. */
const MAX_APART = 4_096;
/** Rows per slot from which it pays. */
const ROWS_PER_SLOT = threshold('rows a slot counted apart', 16);

export class CountAccumulator implements Accumulator {
  readonly #counts: SlotState<Uint32Array<ArrayBuffer>>;
  #apart = new Uint32Array(0);

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

  /** Filter and slots in one pass. Plain form: `if (filter(i)) counts[base + slot(i)]++`. */
  add(scan: Scan, slots: Slots): void {
    const { filter, positions } = scan;
    if (filter.kind === 'constant' && filter.value === 0) return;
    if (scan.slots.length === 0) {
      for (const span of positions.spans) {
        const counted = countSelected({ rows: positions.rows, spans: [span] }, filter, scan.context);
        this.addTo(slots.base(span.bucket), counted);
      }
      return;
    }
    const loop = packedLoop((inputs) => bodyOf(scan, inputs), positions.rows);
    for (const span of positions.spans) this.#addSpan(loop, span, scan, slots);
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

  #addSpan(loop: PackedLoop, { bucket, from, to }: Span, scan: Scan, slots: Slots): void {
    const { perBucket } = slots;
    const base = slots.base(bucket);
    const apart = perBucket !== null && perBucket <= MAX_APART && to - from >= perBucket * ROWS_PER_SLOT.value;
    const out = apart ? this.#fourTimes(perBucket) : this.#counts.values;
    for (const block of blocksOf(from, to)) {
      scan.context.checkpoint();
      loop(out, { ...block, a: apart ? 0 : base, b: apart ? perBucket : 0 });
    }
    if (!apart) return;
    const counts = this.#counts.values;
    for (let slot = 0; slot < perBucket; slot++) {
      counts[base + slot]! +=
        out[slot]! + out[slot + perBucket]! + out[slot + 2 * perBucket]! + out[slot + 3 * perBucket]!;
    }
  }

  #fourTimes(slots: number): Uint32Array {
    if (this.#apart.length < slots * 4) this.#apart = new Uint32Array(slots * 4);
    return this.#apart.fill(0);
  }
}

function bodyOf({ filter, slots }: Scan, inputs: PackedInputs): string {
  const place = `out[${inputs.base} + ${slotExpression(slots, inputs)}]`;
  const passes = filterExpression(filter, inputs);
  return passes === '1' ? `${place}++;` : `${place} += ${passes};`;
}
