/** Sums and averages. What each addition rounds off is summed beside the sum (Neumaier), so only the last digit depends on the order of rows. */
import type { Field } from '../../dsl/plan/plan.ts';
import { primitives } from '../../primitives/memory.ts';
import type { Scan } from '../groups/scan.ts';
import type { Slots } from '../groups/slots.ts';
import type { MetricPartial } from './metric-partial.ts';
import {
  numbersOfGroups,
  type Accumulator,
  type Merging,
  type MetricState,
  type StatePartial,
  type ValuesOf,
} from './metric-state.ts';
import { forNumbers } from './numeric.ts';
import { countsBySlot, numbersBySlot, type StateOwner } from './state-array.ts';

class SumAccumulator implements Accumulator {
  readonly states;
  readonly #field: Field;
  readonly #sums;
  readonly #errors;
  readonly #counts;

  constructor(field: Field, owner: StateOwner) {
    this.#field = field;
    this.#sums = numbersBySlot(owner);
    this.#errors = numbersBySlot(owner);
    this.#counts = countsBySlot(owner);
    this.states = [this.#sums, this.#errors, this.#counts];
  }

  add(scan: Scan, slots: Slots): void {
    const [sums, errors, counts] = [this.#sums, this.#errors, this.#counts];
    forNumbers(scan, slots, this.#field, ({ from, to, base, slots: own, address }) => {
      const count = to - from;
      if (own === null) {
        primitives.sumOne(address(), count, sums.address + base * 8, errors.address + base * 8);
        counts.values[base]! += count;
      } else {
        primitives.sumBySlot(address(), own.byteOffset, count, sums.address, errors.address, counts.address);
      }
    });
  }

  partial(slots: Uint32Array): MetricPartial {
    const [sums, errors, counts] = [this.#sums, this.#errors, this.#counts].map((state) => state.pick(slots));
    return { kind: 'sum', sums: sums!, errors: errors!, counts: counts! };
  }
}

/** By group. The sum is `sums + errors`. */
export type Sums = Pick<StatePartial<'sum'>, 'sums' | 'errors' | 'counts'>;

export function mergeSums(parts: readonly StatePartial<'sum'>[], { groups, limits: { memory } }: Merging): Sums {
  const [sums, errors, counts] = Array.from({ length: 3 }, () => memory.floats(groups.count).fill(0));
  for (const [at, part] of parts.entries()) {
    const places = groups.places[at]!;
    for (let group = 0; group < part.sums.length; group++) {
      const place = places[group]!;
      const sum = sums![place]!;
      const value = part.sums[group]!;
      sums![place] = sum + value;
      errors![place]! += roundedOff(sum, value) + part.errors[group]!;
      counts![place]! += part.counts[group]!;
    }
  }
  return { sums: sums!, errors: errors!, counts: counts! };
}

/** What the addition of two floats rounds off. */
export function roundedOff(sum: number, value: number): number {
  const next = sum + value;
  const share = next - sum;
  return sum - (next - share) + (value - share);
}

export function valuesOfSums({ sums, errors, counts }: Sums): ValuesOf<'sum'> {
  /** NaN of no number. */
  const sumOf = (group: number): number => (counts[group] === 0 ? NaN : sums[group]! + errors[group]!);
  return {
    sum: (unit, _p, only) => numbersOfGroups(only, counts.length, (group) => sumOf(group) / unit),
    avg: (unit, _p, only) => numbersOfGroups(only, counts.length, (group) => sumOf(group) / (unit * counts[group]!)),
  };
}

export const sumState: MetricState<'sum'> = {
  accumulate: (field, { context }) => new SumAccumulator(field, context),
  merge: (parts, into) => valuesOfSums(mergeSums(parts, into)),
};
