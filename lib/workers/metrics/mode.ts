/** The most frequent value, by text. */
import type { Field } from '../../dsl/plan/plan.ts';
import { primitives } from '../../primitives/memory.ts';
import { FieldIds } from '../groups/field-ids.ts';
import type { Scan } from '../groups/scan.ts';
import { NOWHERE, type Slots } from '../groups/slots.ts';
import type { RowContext } from '../query-context.ts';
import { packUsed, type MetricPartial, splitTexts } from './metric-partial.ts';
import { groupBySlot } from './numbers.ts';
import { forPairs } from './unique/pair-sets.ts';
import { countsBySlot, numbersBySlot } from './state-array.ts';
import { PairIds, type Pairs } from '../groups/pair-ids.ts';
import { compareCodePoints } from '../../dsl/plan/value.ts';
import { TextIds, type MergedGroups, type MergeLimits } from './merge-groups.ts';
import type { Accumulator, MetricState, StatePartial } from './metric-state.ts';

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
    this.#ids = new FieldIds({ field }, context);
    this.#slots = slots;
    this.#context = context;
    this.#shared = shared;
    this.#pairs = new PairIds(context);
    this.#counts = countsBySlot(context);
  }

  /** Plain form: `counts[slot(i), id(i)]++`. */
  add(scan: Scan): void {
    if (scan.selected().spans.length === 0) return;
    const ids = this.#ids.of(scan.rows, scan.selected());
    if (ids !== null) forPairs(scan, this.#slots, ids, (pairs) => this.#count(pairs));
  }

  #count(pairs: Pairs): void {
    this.#pairs.addAll(pairs, pairs.firsts);
    this.#counts.resize(this.#pairs.size);
    primitives.countCodes(pairs.firsts, 4, pairs.count, this.#counts.address, 0);
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
    const groupOf = groupBySlot(slots);
    const { size } = this.#pairs;
    const groups = new Uint32Array(size);
    const ids = new Uint32Array(this.#pairs.seconds());
    const counts = new Float64Array(size);
    const [slotOf, rows] = [this.#pairs.firsts(), this.#counts.values];
    for (let pair = 0; pair < size; pair++) {
      groups[pair] = groupOf[slotOf[pair]!]!;
      counts[pair] = ids[pair] === 0 ? 0 : rows[pair]!;
    }
    const best = mostFrequent({ groups, ids, counts }, slots.length, (a, b) => this.#ids.compare(a, b));
    const open = this.#slots.decode(slots).buckets.map((bucket) => (this.#shared(bucket) ? 1 : 0));
    const kept = new Uint32Array(size);
    let length = 0;
    for (let pair = 0; pair < size; pair++) {
      const group = groups[pair]!;
      if (best[group] === pair || (open[group] === 1 && counts[pair]! > 0)) kept[length++] = pair;
    }
    const pairs = kept.subarray(0, length);
    return {
      kind: 'mode',
      groups: pairs.map((pair) => groups[pair]!),
      counts: Float64Array.from(pairs, (pair) => counts[pair]!),
      ...packUsed(
        pairs.map((pair) => ids[pair]!),
        (id) => this.#ids.text(id),
      ),
    };
  }
}

/** null for a group without a value. */
function mergeModes(
  parts: readonly StatePartial<'mode'>[],
  { places, count }: MergedGroups,
  limits: MergeLimits,
): (string | null)[] {
  const texts = new TextIds();
  const pairs = new PairIds(limits);
  const counts = numbersBySlot(limits);
  for (const [at, part] of parts.entries()) {
    const ids = texts.take(splitTexts(part.texts));
    const own = pairs.idsOf(
      part.groups.map((group) => places[at]![group]!),
      part.ids.map((id) => ids[id + 1]!),
    );
    counts.resize(pairs.size);
    for (let k = 0; k < own.length; k++) counts.values[own[k]!]! += part.counts[k]!;
  }
  const ids = pairs.seconds();
  const textOf = (id: number): string => texts.text(id) ?? '';
  const compare = (a: number, b: number): number => compareCodePoints(textOf(a), textOf(b));
  const best = mostFrequent({ groups: pairs.firsts(), ids, counts: counts.values }, count, compare);
  return Array.from(best, (pair) => (pair === NO_PAIR ? null : textOf(ids[pair]!)));
}

/** How often each value occurred in each group; 0 counts as absent. */
interface CountedPairs {
  readonly groups: Uint32Array;
  readonly ids: Uint32Array;
  readonly counts: Float64Array;
}

/** No value at all. */
const NO_PAIR = -1;

/**
 * By group: the pair that occurred most often, among several the one whose text is first by code point; NO_PAIR for none.
 * @param compare Compares two ids by their texts.
 */
function mostFrequent(
  { groups, ids, counts }: CountedPairs,
  length: number,
  compare: (a: number, b: number) => number,
): Int32Array {
  const most = new Float64Array(length);
  for (let pair = 0; pair < groups.length; pair++) {
    if (counts[pair]! > most[groups[pair]!]!) most[groups[pair]!] = counts[pair]!;
  }
  const found = new Uint32Array(groups.length);
  let some = 0;
  for (let pair = 0; pair < groups.length; pair++) {
    if (counts[pair]! > 0 && counts[pair] === most[groups[pair]!]) found[some++] = pair;
  }
  const ties = found.subarray(0, some);
  // In order of codes: neighbours in a dictionary lie together, and few of its chunks may be in memory.
  if (some > length) ties.sort((a, b) => ids[a]! - ids[b]!);
  const best = new Int32Array(length).fill(NO_PAIR);
  for (const pair of ties) {
    const group = groups[pair]!;
    const before = best[group]!;
    if (before === NO_PAIR || compare(ids[pair]!, ids[before]!) < 0) best[group] = pair;
  }
  return best;
}

export const modeState: MetricState<'mode'> = {
  accumulate: (field, { slots, context, shared }) => new ModeAccumulator(field, slots, context, shared),
  merge: (parts, { groups, limits }) => {
    const texts = mergeModes(parts, groups, limits);
    return { mode: () => texts };
  },
};
