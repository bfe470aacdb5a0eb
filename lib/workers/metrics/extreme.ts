/** The least or greatest number. */
import type { Field } from '../../dsl/plan/plan.ts';
import { primitives } from '../../primitives/memory.ts';
import type { Scan } from '../groups/scan.ts';
import type { Slots } from '../groups/slots.ts';
import { valueOfNumbers, type Accumulator, type Merging, type MetricState, type StatePartial } from './metric-state.ts';
import { forNumbers } from './numeric.ts';
import { numbersBySlot, type StateOwner } from './state-array.ts';

class ExtremeAccumulator implements Accumulator {
  readonly states;
  readonly #kind: 'min' | 'max';
  readonly #field: Field;
  /** -1 for the least: keeps the greatest of the negated numbers. */
  readonly #sign: 1 | -1;
  readonly #values;

  constructor(kind: 'min' | 'max', field: Field, owner: StateOwner) {
    this.#kind = kind;
    this.#field = field;
    this.#sign = kind === 'max' ? 1 : -1;
    this.#values = numbersBySlot(owner, -Infinity);
    this.states = [this.#values];
  }

  add(scan: Scan, slots: Slots): void {
    forNumbers(scan, slots, this.#field, ({ from, to, base, slots: own, address }) => {
      const best = this.#values.address;
      if (own === null) primitives.greatest(address(), to - from, this.#sign, best + base * 8);
      else primitives.greatestBySlot(address(), own.byteOffset, to - from, this.#sign, best);
    });
  }

  partial(slots: Uint32Array): StatePartial<'min' | 'max'> {
    const picked = this.#values.pick(slots);
    for (let i = 0; i < picked.length; i++) picked[i] = picked[i] === -Infinity ? NaN : picked[i]! * this.#sign + 0;
    return { kind: this.#kind, values: picked };
  }
}

export function mergeExtremes(
  kind: 'min' | 'max',
  parts: readonly StatePartial<'min' | 'max'>[],
  { groups, limits: { memory } }: Merging,
): Float64Array {
  const merged = memory.floats(groups.count).fill(NaN);
  for (const [at, { values }] of parts.entries()) {
    for (let group = 0; group < values.length; group++) {
      const place = groups.places[at]![group]!;
      const value = values[group]!;
      const best = merged[place]!;
      if (Number.isNaN(best) || (kind === 'max' ? value > best : value < best)) merged[place] = value;
    }
  }
  return merged;
}

export const minState: MetricState<'min'> = {
  accumulate: (field, { context }) => new ExtremeAccumulator('min', field, context),
  merge: (parts, into) => ({ min: valueOfNumbers(mergeExtremes('min', parts, into)) }),
};

export const maxState: MetricState<'max'> = {
  accumulate: (field, { context }) => new ExtremeAccumulator('max', field, context),
  merge: (parts, into) => ({ max: valueOfNumbers(mergeExtremes('max', parts, into)) }),
};
