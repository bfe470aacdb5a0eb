/** How numbers spread around their mean (Welford), for the standard deviation. Equal numbers deviate by exactly 0, however large they are. */
import type { Field } from '../../dsl/plan/plan.ts';
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

class MomentsAccumulator implements Accumulator {
  readonly states;
  readonly #field: Field;
  readonly #counts;
  readonly #means;
  /** The sum of the squares of the distances from the mean. */
  readonly #squares;

  constructor(field: Field, owner: StateOwner) {
    this.#field = field;
    this.#counts = countsBySlot(owner);
    this.#means = numbersBySlot(owner);
    this.#squares = numbersBySlot(owner);
    this.states = [this.#counts, this.#means, this.#squares];
  }

  add(scan: Scan, slots: Slots): void {
    forNumbers(scan, slots, this.#field, ({ values, from, to, base, slots: own }) => {
      const [counts, means, squares] = [this.#counts.values, this.#means.values, this.#squares.values];
      for (let k = from; k < to; k++) {
        const slot = own === null ? base : own[k - from]!;
        const value = values[k]!;
        const mean = means[slot]!;
        const next = mean + (value - mean) / ++counts[slot]!;
        squares[slot]! += (value - mean) * (value - next);
        means[slot] = next;
      }
    });
  }

  partial(slots: Uint32Array): MetricPartial {
    const [counts, means, squares] = [this.#counts, this.#means, this.#squares].map((state) => state.pick(slots));
    return { kind: 'moments', counts: counts!, means: means!, squares: squares! };
  }
}

/** Joins the moments of two sets of numbers (Chan, Golub and LeVeque). */
function mergeMoments(
  parts: readonly StatePartial<'moments'>[],
  { groups, limits: { memory } }: Merging,
): ValuesOf<'moments'> {
  const [counts, means, squares] = Array.from({ length: 3 }, () => memory.floats(groups.count).fill(0));
  for (const [at, part] of parts.entries()) {
    const places = groups.places[at]!;
    for (let group = 0; group < part.counts.length; group++) {
      const added = part.counts[group]!;
      if (added === 0) continue;
      const place = places[group]!;
      const before = counts![place]!;
      const count = before + added;
      const distance = part.means[group]! - means![place]!;
      counts![place] = count;
      means![place]! += distance * (added / count);
      squares![place]! += part.squares[group]! + distance * distance * ((before * added) / count);
    }
  }
  return {
    // Of the sample (n - 1); NaN of fewer than two numbers.
    stddev: (unit, _p, only) =>
      numbersOfGroups(
        only,
        groups.count,
        (group) => Math.sqrt(squares![group]! / Math.max(0, counts![group]! - 1)) / unit,
      ),
  };
}

export const momentsState: MetricState<'moments'> = {
  accumulate: (field, { context }) => new MomentsAccumulator(field, context),
  merge: mergeMoments,
};
