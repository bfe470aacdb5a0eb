/** Sets of ids as (slot, id) pairs in one hash table: for many groups, of which each has few ids. */
import type { Budget } from '../budget.ts';
import { PairTable } from '../groups/pair-table.ts';
import type { RowIds } from '../groups/field-ids.ts';
import type { Scan } from '../groups/scan.ts';
import { NOWHERE, type Slots } from '../groups/slots.ts';
import { wordsAt } from '../../primitives/memory.ts';
import { Vectors } from '../vectors/vectors.ts';
import type { IdsToAdd } from './bit-sets.ts';
import { groupBySlot } from './numbers.ts';
import type { FoundSets } from './unique.ts';

export class PairSets {
  readonly #budget: Budget;
  #pairs: PairTable;

  constructor(budget: Budget) {
    this.#budget = budget;
    this.#pairs = new PairTable(budget);
  }

  put(slot: number, id: number): void {
    this.#pairs.id(slot, id);
  }

  add({ scan, slots, ids }: IdsToAdd): void {
    forPairs(scan, slots, ids, (slot, id) => this.#pairs.id(slot, id));
  }

  remap(moved: Uint32Array): void {
    const old = this.#pairs;
    this.#pairs = new PairTable(this.#budget);
    for (let at = 0; at < old.size; at++) {
      const slot = moved[old.first(at)]!;
      if (slot !== NOWHERE) this.#pairs.id(slot, old.second(at));
    }
    old.release();
  }

  partial(slots: Uint32Array, open: Uint32Array): FoundSets {
    const groups = groupBySlot(slots);
    const counts = new Float64Array(slots.length);
    const firsts = this.#pairs.firsts();
    for (let at = 0; at < firsts.length; at++) counts[groups[firsts[at]!]!]!++;
    const ends = new Float64Array(slots.length);
    let total = 0;
    for (let group = 0; group < slots.length; group++) ends[group] = total += open[group] === 1 ? counts[group]! : 0;
    const next = ends.map((end, group) => end - (open[group] === 1 ? counts[group]! : 0));
    const ids = new Uint32Array(total);
    const seconds = this.#pairs.seconds();
    for (let at = 0; at < firsts.length; at++) {
      const group = groups[firsts[at]!]!;
      if (open[group] === 1) ids[next[group]!++] = seconds[at]!;
    }
    return { counts, bits: null, ends, ids };
  }
}

/** Hands over the slot and the id of every row that passes and has one. */
export function forPairs(scan: Scan, slots: Slots, ids: RowIds, use: (slot: number, id: number) => void): void {
  const { rows, spans } = scan.selected();
  const vectors = new Vectors(rows, scan.context);
  for (const { bucket, from, to } of spans) {
    const base = slots.base(bucket);
    vectors.each(from, to, () => {
      const ownIds = wordsAt(vectors.ids(ids.codes, ids.table), vectors.count);
      const ownSlots = wordsAt(vectors.slots(scan.slots, base), vectors.count);
      for (let k = 0; k < ownIds.length; k++) if (ownIds[k] !== 0) use(ownSlots[k]!, ownIds[k]!);
    });
  }
  vectors.end();
}
