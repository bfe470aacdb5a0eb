/** Sums and averages that do not depend on the order of rows: what each addition rounds off is added up beside the sum. */
import type { Field } from '../../dsl/plan.ts';
import type { Budget } from '../budget.ts';
import type { Scan } from '../groups/scan.ts';
import type { Slots } from '../groups/slots.ts';
import type { Accumulator } from './accumulator.ts';
import type { MetricPartial } from './metric-partial.ts';
import { forNumbers, type NumberBlock } from './numeric.ts';
import { countsBySlot, numbersBySlot } from './state-array.ts';

export class SumAccumulator implements Accumulator {
  readonly #field: Field;
  readonly #sums;
  readonly #errors;
  readonly #counts;

  constructor(field: Field, budget: Budget) {
    this.#field = field;
    this.#sums = numbersBySlot(budget);
    this.#errors = numbersBySlot(budget);
    this.#counts = countsBySlot(budget);
  }

  add(scan: Scan, slots: Slots): void {
    forNumbers(scan, slots, this.#field, (block) => {
      if (block.slots === null) this.#addToOne(block);
      else this.#addToMany(block, block.slots);
    });
  }

  resize(count: number): void {
    for (const state of [this.#sums, this.#errors, this.#counts]) state.resize(count);
  }
  remap(moved: Uint32Array, count: number): void {
    for (const state of [this.#sums, this.#errors, this.#counts]) state.remap(moved, count);
  }

  partial(slots: Uint32Array): MetricPartial {
    const counts = Float64Array.from(this.#counts.pick(slots));
    return { kind: 'sum', sums: this.#sums.pick(slots), errors: this.#errors.pick(slots), counts };
  }

  /** Two sums at a time: each addition waits for the one before. */
  #addToOne({ values, from, to, base }: NumberBlock): void {
    let sum = this.#sums.values[base]!;
    let error = this.#errors.values[base]!;
    let otherSum = 0;
    let otherError = 0;
    let k = from;
    for (; k + 1 < to; k += 2) {
      const value = values[k]!;
      const next = sum + value;
      const part = next - sum;
      error += sum - (next - part) + (value - part);
      sum = next;
      const other = values[k + 1]!;
      const otherNext = otherSum + other;
      const otherPart = otherNext - otherSum;
      otherError += otherSum - (otherNext - otherPart) + (other - otherPart);
      otherSum = otherNext;
    }
    this.#sums.values[base] = sum;
    this.#errors.values[base] = error + otherError;
    this.#put(base, otherSum);
    if (k < to) this.#put(base, values[k]!);
    this.#counts.values[base]! += to - from;
  }

  #put(slot: number, value: number): void {
    const sum = this.#sums.values[slot]!;
    const next = sum + value;
    const part = next - sum;
    this.#errors.values[slot]! += sum - (next - part) + (value - part);
    this.#sums.values[slot] = next;
  }

  #addToMany({ values, from, to }: NumberBlock, slots: Uint32Array): void {
    const sums = this.#sums.values;
    const errors = this.#errors.values;
    const counts = this.#counts.values;
    for (let k = from; k < to; k++) {
      const slot = slots[k - from]!;
      const value = values[k]!;
      const sum = sums[slot]!;
      const next = sum + value;
      const part = next - sum;
      errors[slot]! += sum - (next - part) + (value - part);
      sums[slot] = next;
      counts[slot]!++;
    }
  }
}
