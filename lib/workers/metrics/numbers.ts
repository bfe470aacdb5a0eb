/** All numbers of each group, for percentiles. */
import type { Field } from '../../dsl/plan.ts';
import type { Budget } from '../budget.ts';
import type { Scan } from '../groups/scan.ts';
import { NOWHERE, type Slots } from '../groups/slots.ts';
import type { Accumulator } from './accumulator.ts';
import type { MetricPartial } from './metric-partial.ts';
import { forNumbers } from './numeric.ts';

const FIRST = 4_096;
const BYTES_PER_NUMBER = 20; // number and slot, and once more the number when they are laid out by group

export class NumbersAccumulator implements Accumulator {
  readonly #field: Field;
  readonly #budget: Budget;
  #values = new Float64Array(FIRST);
  #slots = new Uint32Array(FIRST);
  #length = 0;

  constructor(field: Field, budget: Budget) {
    this.#field = field;
    this.#budget = budget;
    budget.take(FIRST * BYTES_PER_NUMBER);
  }

  add(scan: Scan, slots: Slots): void {
    forNumbers(scan, slots, this.#field, ({ values, from, to, base, slots: own }) => {
      this.#reserve(to - from);
      const start = this.#length;
      this.#values.set(values.subarray(from, to), start);
      if (own === null) this.#slots.fill(base, start, start + to - from);
      else this.#slots.set(own.subarray(0, to - from), start);
      this.#length += to - from;
    });
  }

  resize(): void {
    // Numbers carry their slots.
  }

  remap(moved: Uint32Array): void {
    for (let i = 0; i < this.#length; i++) this.#slots[i] = moved[this.#slots[i]!]!;
  }

  /** Laid out by group with a counting sort. */
  partial(slots: Uint32Array): MetricPartial {
    const groups = groupBySlot(slots);
    const ends = new Float64Array(slots.length);
    for (let i = 0; i < this.#length; i++) ends[groups[this.#slots[i]!]!]!++;
    for (let g = 1; g < ends.length; g++) ends[g]! += ends[g - 1]!;
    const values = new Float64Array(this.#length);
    for (let i = this.#length - 1; i >= 0; i--) values[--ends[groups[this.#slots[i]!]!]!] = this.#values[i]!;
    for (let g = 0; g < ends.length; g++) ends[g] = g + 1 < ends.length ? ends[g + 1]! : this.#length;
    return { kind: 'numbers', ends, values };
  }

  #reserve(more: number): void {
    const needed = this.#length + more;
    if (needed <= this.#values.length) return;
    const capacity = Math.max(needed, Math.ceil(this.#values.length * 1.5));
    this.#budget.take((capacity - this.#values.length) * BYTES_PER_NUMBER);
    const values = new Float64Array(capacity);
    const slots = new Uint32Array(capacity);
    values.set(this.#values.subarray(0, this.#length));
    slots.set(this.#slots.subarray(0, this.#length));
    this.#values = values;
    this.#slots = slots;
  }
}

/** Slot → its place among these. */
export function groupBySlot(slots: Uint32Array): Uint32Array {
  const last = slots.length === 0 ? 0 : slots.reduce((max, slot) => Math.max(max, slot), 0);
  const groups = new Uint32Array(last + 1).fill(NOWHERE);
  for (let g = 0; g < slots.length; g++) groups[slots[g]!] = g;
  return groups;
}
