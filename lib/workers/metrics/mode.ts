/** The most frequent value, by text. */
import type { Field } from '../../dsl/plan/plan.ts';
import { primitives } from '../../primitives/memory.ts';
import { FieldIds } from '../groups/field-ids.ts';
import type { Scan } from '../groups/scan.ts';
import { NOWHERE, type Slots } from '../groups/slots.ts';
import type { RowContext } from '../query-context.ts';
import type { Accumulator } from './accumulator.ts';
import { packUsed, type MetricPartial, unpackTexts } from './metric-partial.ts';
import { mostFrequent, NO_PAIR } from './most-frequent.ts';
import { groupBySlot } from './numbers.ts';
import { forPairs } from './unique/pair-sets.ts';
import { countsBySlot } from './state-array.ts';
import { PairIds, type Pairs } from '../groups/pair-ids.ts';
import { compareCodePoints } from '../../dsl/plan/value.ts';
import type { Budget } from '../budget.ts';
import { TextIds, type MergedGroups } from './merge-groups.ts';
import type { MetricState, PartialOf } from './metric-state.ts';
import { PairCounts } from './pair-counts.ts';

class ModeAccumulator implements Accumulator {
  readonly #ids: FieldIds;
  readonly #slots: Slots;
  readonly #context: RowContext;
  readonly #shared: (bucket: number) => boolean;
  /** Of slots and ids; includes those of id 0, which is missing. */
  #pairs: PairIds;
  /** By pair. */
  #counts;

  /** @param shared Whether another part may have rows in a bucket. */
  constructor(field: Field, slots: Slots, context: RowContext, shared: (bucket: number) => boolean) {
    this.#ids = new FieldIds(field, context);
    this.#slots = slots;
    this.#context = context;
    this.#shared = shared;
    this.#pairs = new PairIds(context);
    this.#counts = countsBySlot(context);
  }

  /** Plain form: `counts[slot(i), id(i)]++`. */
  add(scan: Scan): void {
    if (scan.selected().spans.length === 0) return;
    const ids = this.#ids.of(scan.rows, 0, scan.rows.rows);
    if (ids !== null) forPairs(scan, this.#slots, ids, (pairs) => this.#count(pairs));
  }

  #count(pairs: Pairs): void {
    this.#pairs.addAll(pairs, pairs.firsts);
    this.#counts.resize(this.#pairs.size);
    primitives.countCodes(pairs.firsts, 4, pairs.count, this.#counts.address, 0);
  }

  resize(): void {
    // Pairs are added as they appear.
  }

  remap(moved: Uint32Array): void {
    const [pairs, counts] = [this.#pairs, this.#counts];
    this.#pairs = new PairIds(this.#context);
    this.#counts = countsBySlot(this.#context);
    this.#counts.resize(pairs.size);
    for (let pair = 0; pair < pairs.size; pair++) {
      const slot = moved[pairs.first(pair)]!;
      if (slot !== NOWHERE) this.#counts.values[this.#pairs.id(slot, pairs.second(pair))] = counts.values[pair]!;
    }
    pairs.release();
    counts.release();
  }

  /** For groups that no other part has rows of, the winner is enough. */
  partial(slots: Uint32Array): MetricPartial {
    const groups = groupBySlot(slots);
    const pairs = this.#pairs;
    const countOf = (pair: number): number => (pairs.second(pair) === 0 ? 0 : this.#counts.values[pair]!);
    const groupOf = (slot: number): number => groups[slot]!;
    const counted = {
      size: pairs.size,
      first: (pair: number): number => pairs.first(pair),
      second: (pair: number): number => pairs.second(pair),
      count: countOf,
    };
    const compare = (a: number, b: number): number => this.#ids.compare(a, b);
    const best = mostFrequent({ pairs: counted, groups: slots.length, groupOf, compare });
    const open = this.#slots.buckets(slots).map((bucket) => (this.#shared(bucket) ? 1 : 0));
    const kept: number[] = [];
    for (let pair = 0; pair < pairs.size; pair++) {
      const group = groupOf(pairs.first(pair));
      if (best[group] === pair || (open[group] === 1 && countOf(pair) > 0)) kept.push(pair);
    }
    return {
      kind: 'mode',
      groups: Uint32Array.from(kept, (pair) => groupOf(pairs.first(pair))),
      counts: Float64Array.from(kept, countOf),
      ...packUsed(
        kept.map((pair) => pairs.second(pair)),
        (id) => this.#ids.text(id),
      ),
    };
  }
}

/** null for a group without a value. */
function mergeModes(
  parts: readonly PartialOf<'mode'>[],
  { places, count }: MergedGroups,
  budget: Budget,
): (string | null)[] {
  const texts = new TextIds();
  const pairs = new PairCounts(budget);
  for (const [at, part] of parts.entries()) {
    const ids = texts.take(unpackTexts(part.texts));
    for (let k = 0; k < part.groups.length; k++) {
      pairs.add(places[at]![part.groups[k]!]!, ids[part.ids[k]! + 1]!, part.counts[k]!);
    }
  }
  const textOf = (id: number): string => texts.text(id) ?? '';
  const compare = (a: number, b: number): number => compareCodePoints(textOf(a), textOf(b));
  const best = mostFrequent({ pairs, groups: count, groupOf: (group) => group, compare });
  return Array.from(best, (pair) => (pair === NO_PAIR ? null : textOf(pairs.second(pair))));
}

export const modeState: MetricState<'mode'> = {
  accumulate: (field, { slots, context, shared }) => new ModeAccumulator(field, slots, context, shared),
  merge: (parts, { groups, limits }) => {
    const texts = mergeModes(parts, groups, limits.budget);
    return () => texts;
  },
};
