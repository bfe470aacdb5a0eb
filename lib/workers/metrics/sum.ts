/**
 * Sums and averages that depend neither on the order of rows nor on how they are split: what each addition rounds off is summed
 * beside the sum, and sums that such a pair of floats cannot hold are wide ones.
 */
import type { Field } from '../../dsl/plan/plan.ts';
import { primitives } from '../../primitives/memory.ts';
import type { Budget } from '../budget.ts';
import type { Scan } from '../groups/scan.ts';
import type { Slots } from '../groups/slots.ts';
import type { MetricPartial } from './metric-partial.ts';
import type { Accumulator, MetricState, PartialOf, ValuesOf } from './metric-state.ts';
import type { MergedGroups } from './merge-groups.ts';
import { forNumbers, type NumberBlock } from './numeric.ts';
import { countsBySlot, numbersBySlot, type StateOwner } from './state-array.ts';
import { WideSums } from './wide-sums.ts';

class SumAccumulator implements Accumulator {
  readonly states;
  readonly #field: Field;
  readonly #sums;
  readonly #errors;
  readonly #counts;
  readonly #wide: WideSums;

  constructor(field: Field, owner: StateOwner) {
    this.#field = field;
    this.#sums = numbersBySlot(owner);
    this.#errors = numbersBySlot(owner);
    this.#counts = countsBySlot(owner);
    this.#wide = new WideSums(owner.budget);
    this.states = [this.#sums, this.#errors, this.#counts];
  }

  add(scan: Scan, slots: Slots): void {
    forNumbers(scan, slots, this.#field, (block) => {
      if (block.slots === null) this.#addToOne(block);
      else this.#addBySlot(block, block.slots);
    });
  }

  remap(moved: Uint32Array): void {
    this.#wide.remap(moved);
  }

  partial(slots: Uint32Array): MetricPartial {
    const [sums, errors, counts] = [this.#sums, this.#errors, this.#counts].map((state) => state.pick(slots));
    return { kind: 'sum', sums: sums!, errors: errors!, counts: counts!, wide: this.#wide.pick(slots) };
  }

  #addBySlot({ values, from, to, address }: NumberBlock, slots: Uint32Array): void {
    const [sums, errors, counts] = [this.#sums.address, this.#errors.address, this.#counts.address];
    const numbers = address();
    for (let done = 0; done < to - from; done++) {
      const rest = to - from - done;
      done += primitives.sumBySlot(numbers + done * 8, slots.byteOffset + done * 4, rest, sums, errors, counts);
      if (done === to - from) return;
      const slot = slots[done]!;
      this.#widen(slot);
      this.#wide.add(slot, values[from + done]!);
      this.#counts.values[slot]!++;
    }
  }

  #addToOne({ values, from, to, base, address }: NumberBlock): void {
    this.#counts.values[base]! += to - from;
    if (this.#isHeld(base, to - from, address)) return;
    this.#widen(base);
    if (this.#isHeld(base, to - from, address)) return;
    for (let k = from; k < to; k++) this.#wide.add(base, values[k]!);
  }

  #isHeld(slot: number, count: number, address: () => number): boolean {
    return primitives.sumOne(address(), count, this.#sums.address + slot * 8, this.#errors.address + slot * 8) !== 0;
  }

  /** Moves a pair of floats into the wide sum of the slot. */
  #widen(slot: number): void {
    for (const { values } of [this.#sums, this.#errors]) {
      this.#wide.add(slot, values[slot]!);
      values[slot] = 0;
    }
  }
}

function mergeSums(parts: readonly PartialOf<'sum'>[], groups: MergedGroups, budget: Budget): ValuesOf {
  const sums = new MergedSums(groups.count, budget);
  const counts = new Float64Array(groups.count);
  for (const [at, part] of parts.entries()) {
    const places = groups.places[at]!;
    for (let group = 0; group < part.sums.length; group++) {
      const place = places[group]!;
      sums.add(place, part.sums[group]!);
      sums.add(place, part.errors[group]!);
      counts[place]! += part.counts[group]!;
    }
    if (part.wide !== null) sums.wide.merge(part.wide, places);
  }
  return (metric, unit) =>
    counts.map((count, group) =>
      count === 0 ? NaN : sums.quotient(group, metric.kind === 'avg' ? count * unit : unit),
    );
}

class MergedSums {
  readonly wide: WideSums;
  readonly #sums: Float64Array;
  readonly #errors: Float64Array;

  constructor(count: number, budget: Budget) {
    this.wide = new WideSums(budget);
    this.#sums = new Float64Array(count);
    this.#errors = new Float64Array(count);
  }

  add(group: number, value: number): void {
    const sum = this.#sums[group]!;
    const next = sum + value;
    const part = next - sum;
    const lost = sum - (next - part) + (value - part);
    const error = this.#errors[group]!;
    const more = error + lost;
    if (more - error === lost && more - lost === error) {
      this.#sums[group] = next;
      this.#errors[group] = more;
    } else {
      this.wide.add(group, value);
    }
  }

  /** The sum over a divisor, which may be beyond the range of floats. */
  quotient(group: number, divisor: number): number {
    const sum = this.#sums[group]! + this.#errors[group]!;
    if (!this.wide.has(group) && Number.isFinite(sum)) return sum / divisor;
    this.wide.add(group, this.#sums[group]!);
    this.wide.add(group, this.#errors[group]!);
    this.#sums[group] = 0;
    this.#errors[group] = 0;
    return this.wide.quotient(group, divisor);
  }
}

export const sumState: MetricState<'sum'> = {
  accumulate: (field, { context }) => new SumAccumulator(field, context),
  merge: (parts, { groups, limits }) => mergeSums(parts, groups, limits.budget),
};
