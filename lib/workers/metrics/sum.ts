/** Sums and averages that do not depend on the order of rows: what each addition rounds off is added up beside the sum. */
import type { Field } from '../../dsl/plan.ts';
import { primitives } from '../../primitives/memory.ts';
import type { Scan } from '../groups/scan.ts';
import type { Slots } from '../groups/slots.ts';
import type { Accumulator } from './accumulator.ts';
import type { MetricPartial } from './metric-partial.ts';
import { forNumbers, type NumberBlock } from './numeric.ts';
import { countsBySlot, numbersBySlot, type StateOwner } from './state-array.ts';

export class SumAccumulator implements Accumulator {
  readonly #field: Field;
  readonly #sums;
  readonly #errors;
  readonly #counts;

  constructor(field: Field, owner: StateOwner) {
    this.#field = field;
    this.#sums = numbersBySlot(owner);
    this.#errors = numbersBySlot(owner);
    this.#counts = countsBySlot(owner);
  }

  add(scan: Scan, slots: Slots): void {
    forNumbers(scan, slots, this.#field, (block) => this.#add(block));
  }

  resize(count: number): void {
    for (const state of [this.#sums, this.#errors, this.#counts]) state.resize(count);
  }
  remap(moved: Uint32Array, count: number): void {
    for (const state of [this.#sums, this.#errors, this.#counts]) state.remap(moved, count);
  }

  partial(slots: Uint32Array): MetricPartial {
    const [sums, errors, counts] = [this.#sums, this.#errors, this.#counts].map((state) => state.pick(slots));
    return { kind: 'sum', sums: sums!, errors: errors!, counts: counts! };
  }

  #add({ from, to, base, slots, address }: NumberBlock): void {
    const [sums, errors, counts] = [this.#sums.address, this.#errors.address, this.#counts.address];
    if (slots !== null) {
      primitives.sumBySlot(address(), slots.byteOffset, to - from, sums, errors, counts);
      return;
    }
    primitives.sumOne(address(), to - from, sums + base * 8, errors + base * 8);
    this.#counts.values[base]! += to - from;
  }
}
