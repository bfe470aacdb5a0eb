/** Sums and averages that do not depend on the order of rows: what each addition rounds off is summed beside the sum. */
import type { Field } from '../../dsl/plan/plan.ts';
import { primitives } from '../../primitives/memory.ts';
import type { Scan } from '../groups/scan.ts';
import type { Slots } from '../groups/slots.ts';
import type { Accumulator } from './accumulator.ts';
import type { MetricPartial } from './metric-partial.ts';
import type { MetricState, PartialOf, ValuesOf } from './metric-state.ts';
import type { MergedGroups } from './merge-groups.ts';
import { forNumbers, type NumberBlock } from './numeric.ts';
import { countsBySlot, numbersBySlot, type StateOwner } from './state-array.ts';

class SumAccumulator implements Accumulator {
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

function mergeSums(parts: readonly PartialOf<'sum'>[], groups: MergedGroups): ValuesOf {
  const sums = new Float64Array(groups.count);
  const errors = new Float64Array(groups.count);
  const counts = new Float64Array(groups.count);
  for (const [at, part] of parts.entries()) {
    for (let group = 0; group < part.sums.length; group++) {
      const place = groups.places[at]![group]!;
      const sum = sums[place]!;
      const value = part.sums[group]!;
      const next = sum + value;
      const share = next - sum;
      errors[place]! += sum - (next - share) + (value - share) + part.errors[group]!;
      sums[place] = next;
      counts[place]! += part.counts[group]!;
    }
  }
  // Where a sum overflowed, its rounding is NaN and only the sum counts.
  const whole = sums.map((sum, at) => (Number.isFinite(sum + errors[at]!) ? sum + errors[at]! : sum));
  return (metric, unit) =>
    whole.map((sum, group) => {
      const count = counts[group]!;
      if (count === 0) return NaN;
      return sum / (metric.kind === 'avg' ? count * unit : unit);
    });
}

export const sumState: MetricState<'sum'> = {
  accumulate: (field, { context }) => new SumAccumulator(field, context),
  merge: (parts, { groups }) => mergeSums(parts, groups),
};
