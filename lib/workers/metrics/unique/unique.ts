/** How many distinct values, by text; persons by number. */
import type { Field } from '../../../dsl/plan/plan.ts';
import { FieldIds } from '../../groups/field-ids.ts';
import type { Scan } from '../../groups/scan.ts';
import type { Slots } from '../../groups/slots.ts';
import type { RowContext } from '../../query-context.ts';
import { BitSets, forBits, forSets } from './bit-sets.ts';
import { packUsed, type FoundSets, type UniquePartial } from '../metric-partial.ts';
import { PairSets } from './pair-sets.ts';
import { mergeUnique } from './merge-unique.ts';
import { valueOfNumbers, type Accumulator, type MetricState } from '../metric-state.ts';

class UniqueAccumulator implements Accumulator {
  readonly #ids: FieldIds;
  readonly #slots: Slots;
  readonly #context: RowContext;
  readonly #shared: (bucket: number) => boolean;
  #sets: BitSets | PairSets;
  /** Final counts of buckets that are over, if buckets are the only groups. */
  readonly #closed = new Map<number, number>();

  /** @param shared Whether another part may have rows in a bucket. */
  constructor(field: Field, slots: Slots, context: RowContext, shared: (bucket: number) => boolean) {
    this.#ids = new FieldIds({ field }, context);
    this.#slots = slots;
    this.#context = context;
    this.#shared = shared;
    this.#sets = new BitSets(context);
  }

  add(scan: Scan): void {
    const positions = scan.selected();
    if (positions.spans.length === 0) return;
    const ids = this.#ids.of(scan.rows, positions);
    if (ids === null) return;
    if (this.#sets instanceof BitSets && !this.#sets.fit(this.#slots.perBucket, this.#ids.size, positions.spans)) {
      this.#usePairs((slot) => slot);
    }
    this.#sets.add({ scan, slots: this.#slots, ids });
  }

  close(bucket: number): void {
    if (!(this.#sets instanceof BitSets)) return;
    for (const open of this.#sets.buckets()) {
      if (open < bucket && !this.#shared(open)) this.#closed.set(open, this.#sets.take(open));
    }
  }

  remap(moved: Uint32Array): void {
    if (this.#sets instanceof PairSets) this.#sets.remap(moved);
    else if (this.#slots.perBucket === null) this.#usePairs((slot) => moved[slot]!);
    else this.#sets.remap(moved, this.#slots.perBucket);
  }

  partial(slots: Uint32Array): UniquePartial {
    const { buckets } = this.#slots.decode(slots);
    const { memory } = this.#context;
    const [open, closed] = [memory.bytes(slots.length), memory.bytes(slots.length)];
    for (let group = 0; group < open.length; group++)
      closed[group] = 1 - (open[group] = Number(this.#shared(buckets[group]!)));
    const found = this.#sets.partial(slots, open);
    if (this.#closed.size > 0)
      for (let group = 0; group < slots.length; group++) found.counts[group]! += this.#closed.get(slots[group]!) ?? 0;
    const { dictionary } = this.#ids;
    if (dictionary !== null && this.#context.sharedDictionary(dictionary) !== null) {
      return { kind: 'unique', closed, ...found, texts: null, dictionary };
    }
    return { kind: 'unique', closed, ...withTexts(found, open, this.#ids, this.#context), dictionary: null };
  }

  #usePairs(slotOf: (slot: number) => number): void {
    const pairs = new PairSets(this.#context);
    if (this.#sets instanceof BitSets) this.#sets.drain((slot, id) => pairs.put(slotOf(slot), id));
    this.#sets = pairs;
  }
}

/** Turns ids into indices in a list of the texts in use. */
function withTexts(
  found: FoundSets,
  open: Uint8Array,
  ids: FieldIds,
  { memory }: RowContext,
): FoundSets & Pick<UniquePartial, 'texts'> {
  const listed = asLists(found, open);
  return { ...listed, ...packUsed(listed.ids ?? NO_IDS, (id) => ids.text(id), memory) };
}

const NO_IDS = new Uint32Array(0);

function asLists(found: FoundSets, open: Uint8Array): FoundSets {
  if (found.bits === null) return found;
  const ids: number[] = [];
  const ends = new Float64Array(open.length);
  const isOpen = (group: number): boolean => open[group] === 1;
  forSets(found.bits, isOpen, open.length, (group, set) => {
    forBits(set, (id) => ids.push(id));
    ends[group] = ids.length;
  });
  for (let group = 1; group < ends.length; group++) ends[group] = Math.max(ends[group]!, ends[group - 1]!); // closed ones have none
  return { counts: found.counts, bits: null, ends, ids: Uint32Array.from(ids) };
}

export const uniqueState: MetricState<'unique'> = {
  accumulate: (field, { slots, context, shared }) => new UniqueAccumulator(field, slots, context, shared),
  merge(parts, { groups: { places, count }, limits }) {
    return { unique: valueOfNumbers(mergeUnique(parts, places, count, limits)) };
  },
};
