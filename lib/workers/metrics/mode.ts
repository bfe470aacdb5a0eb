/** The most frequent value, by text. */
import type { Field } from '../../dsl/plan/plan.ts';
import { Lease, primitives } from '../../primitives/memory.ts';
import { FieldIds } from '../groups/field-ids.ts';
import type { Scan } from '../groups/scan.ts';
import { NOWHERE, type Slots } from '../groups/slots.ts';
import type { RowContext } from '../query-context.ts';
import { packUsed, type MetricPartial, splitTexts } from './metric-partial.ts';
import { groupBySlot } from './numbers.ts';
import { forPairs } from './unique/pair-sets.ts';
import { countsBySlot } from './state-array.ts';
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
    using lease = new Lease();
    const groupOf = groupBySlot(slots, lease);
    const { size } = this.#pairs;
    const [groups, ids, counts] = [lease.words(size), this.#pairs.seconds(), lease.words(size)];
    const [slotOf, rows] = [this.#pairs.firsts(), this.#counts.values];
    for (let pair = 0; pair < size; pair++) {
      groups[pair] = groupOf[slotOf[pair]!]!;
      counts[pair] = ids[pair] === 0 ? 0 : rows[pair]!;
    }
    const best = mostFrequent({ groups, ids, counts }, slots.length, (a, b) => this.#ids.compare(a, b), lease);
    const { buckets } = this.#slots.decode(slots);
    const kept = lease.words(size);
    let length = 0;
    for (let pair = 0; pair < size; pair++) {
      const group = groups[pair]!;
      if (best[group] === pair || (counts[pair]! > 0 && this.#shared(buckets[group]!))) kept[length++] = pair;
    }
    const { memory } = this.#context;
    const [ofGroups, ofIds, ofCounts] = [memory.words(length), lease.words(length), memory.words(length)];
    for (let at = 0; at < length; at++) {
      ofGroups[at] = groups[kept[at]!]!;
      ofIds[at] = ids[kept[at]!]!;
      ofCounts[at] = counts[kept[at]!]!;
    }
    const packed = packUsed(ofIds, (id) => this.#ids.text(id), memory);
    return { kind: 'mode', groups: ofGroups, counts: ofCounts, ...packed };
  }
}

/** The text of each group; null for one without a value. */
function mergeModes(
  parts: readonly StatePartial<'mode'>[],
  { places, count }: MergedGroups,
  limits: MergeLimits,
): (group: number) => string | null {
  const texts = new TextIds();
  const pairs = new PairIds(limits);
  const counts = countsBySlot(limits);
  for (const [at, part] of parts.entries()) {
    using lease = new Lease();
    const ids = texts.take(splitTexts(part.texts));
    const [firsts, seconds] = [lease.words(part.groups.length), lease.words(part.ids.length)];
    for (let k = 0; k < firsts.length; k++) {
      firsts[k] = places[at]![part.groups[k]!]!;
      seconds[k] = ids[part.ids[k]! + 1]!;
    }
    pairs.addAll({ firsts: firsts.byteOffset, seconds: seconds.byteOffset, count: firsts.length }, firsts.byteOffset);
    counts.resize(pairs.size);
    for (let k = 0; k < firsts.length; k++) counts.values[firsts[k]!]! += part.counts[k]!;
  }
  const ids = pairs.seconds();
  const textOf = (id: number): string => texts.text(id) ?? '';
  const compare = (a: number, b: number): number => compareCodePoints(textOf(a), textOf(b));
  const best = mostFrequent({ groups: pairs.firsts(), ids, counts: counts.values }, count, compare, limits.memory);
  return (group) => (best[group] === NO_PAIR ? null : textOf(ids[best[group]!]!));
}

/** How often each value occurred in each group; 0 counts as absent. */
interface CountedPairs {
  readonly groups: Uint32Array;
  readonly ids: Uint32Array;
  readonly counts: Uint32Array;
}

/** No value at all. */
const NO_PAIR = 0xffffffff;

/**
 * By group: the pair that occurred most often, among several the one whose text is first by code point; NO_PAIR for none.
 * @param compare Compares two ids by their texts. @param memory Of the answer.
 */
function mostFrequent(
  { groups, ids, counts }: CountedPairs,
  length: number,
  compare: (a: number, b: number) => number,
  memory: Pick<Lease, 'words'>,
): Uint32Array {
  using lease = new Lease();
  const most = lease.noWords(length);
  for (let pair = 0; pair < groups.length; pair++) {
    if (counts[pair]! > most[groups[pair]!]!) most[groups[pair]!] = counts[pair]!;
  }
  const found = lease.words(groups.length);
  let some = 0;
  for (let pair = 0; pair < groups.length; pair++) {
    if (counts[pair]! > 0 && counts[pair] === most[groups[pair]!]) found[some++] = pair;
  }
  const ties = found.subarray(0, some);
  // In order of codes: neighbours in a dictionary lie together, and few of its chunks may be in memory.
  if (some > length) ties.sort((a, b) => ids[a]! - ids[b]!);
  const best = memory.words(length).fill(NO_PAIR);
  for (let at = 0; at < some; at++) {
    const pair = ties[at]!;
    const group = groups[pair]!;
    const before = best[group]!;
    if (before === NO_PAIR || compare(ids[pair]!, ids[before]!) < 0) best[group] = pair;
  }
  return best;
}

export const modeState: MetricState<'mode'> = {
  accumulate: (field, { slots, context, shared }) => new ModeAccumulator(field, slots, context, shared),
  merge: (parts, { groups, limits }) => {
    const textOf = mergeModes(parts, groups, limits);
    const texts = (length: number, only: Uint32Array | null): (string | null)[] =>
      Array.from({ length }, (_, at) => textOf(only === null ? at : only[at]!));
    return { mode: (_unit, _p, only) => texts(only?.length ?? groups.count, only) };
  },
};
