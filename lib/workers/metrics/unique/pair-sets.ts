/** Sets of ids as (slot, id) pairs in one hash table: for many groups with few ids each. */
import { PairIds, type Pairs } from '../../groups/pair-ids.ts';
import type { CodedIds } from '../../groups/field-ids.ts';
import type { Scan } from '../../groups/scan.ts';
import { NOWHERE, type Slots } from '../../groups/slots.ts';
import { eachBlock } from '../../groups/vectors.ts';
import type { IdsToAdd } from './bit-sets.ts';
import type { FoundSets } from '../metric-partial.ts';
import { groupBySlot } from '../numbers.ts';
import type { StateOwner } from '../state-array.ts';

export class PairSets {
  readonly #owner: StateOwner;
  #pairs: PairIds;

  constructor(owner: StateOwner) {
    this.#owner = owner;
    this.#pairs = new PairIds(owner);
  }

  put(slot: number, id: number): void {
    this.#pairs.id(slot, id);
  }

  add({ scan, slots, ids }: IdsToAdd): void {
    forPairs(scan, slots, ids, (pairs) => this.#pairs.addSome(pairs));
  }

  remap(moved: Uint32Array): void {
    const old = this.#pairs;
    this.#pairs = new PairIds(this.#owner);
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

/** Passes on the slots and ids of rows that pass, block by block; id 0 is missing. */
export function forPairs(scan: Scan, slots: Slots, ids: CodedIds, use: (pairs: Pairs) => void): void {
  eachBlock(scan.selected(), scan.context, (vectors, bucket) => {
    const seconds = vectors.ids(ids.codes, ids.table);
    use({ firsts: vectors.slots(scan.slots, slots.base(bucket)), seconds, count: vectors.count });
  });
}
