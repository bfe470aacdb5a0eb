/** The least or greatest number. */
import type { Field } from '../../dsl/plan.ts';
import { primitives } from '../../primitives/memory.ts';
import type { Scan } from '../groups/scan.ts';
import type { Slots } from '../groups/slots.ts';
import type { Accumulator } from './accumulator.ts';
import type { MetricPartial } from './metric-partial.ts';
import { forNumbers } from './numeric.ts';
import { numbersBySlot, type StateOwner } from './state-array.ts';

export class ExtremeAccumulator implements Accumulator {
  readonly #field: Field;
  /** -1 for the least: then the greatest of the negated numbers is kept. */
  readonly #sign: 1 | -1;
  readonly #values;

  constructor(kind: 'min' | 'max', field: Field, owner: StateOwner) {
    this.#field = field;
    this.#sign = kind === 'max' ? 1 : -1;
    this.#values = numbersBySlot(owner, -Infinity);
  }

  add(scan: Scan, slots: Slots): void {
    forNumbers(scan, slots, this.#field, ({ from, to, base, slots: own, address }) => {
      const best = this.#values.address;
      if (own === null) primitives.greatest(address(), to - from, this.#sign, best + base * 8);
      else primitives.greatestBySlot(address(), own.byteOffset, to - from, this.#sign, best);
    });
  }

  resize(count: number): void {
    this.#values.resize(count);
  }
  remap(moved: Uint32Array, count: number): void {
    this.#values.remap(moved, count);
  }

  partial(slots: Uint32Array): MetricPartial {
    const picked = this.#values.pick(slots);
    for (let i = 0; i < picked.length; i++) picked[i] = picked[i] === -Infinity ? NaN : picked[i]! * this.#sign + 0;
    return { kind: 'extreme', values: picked };
  }
}
