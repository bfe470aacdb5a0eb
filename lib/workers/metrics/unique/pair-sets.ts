/** Sets of ids as (slot, id) pairs: for many groups with few ids each. */
import { Lease } from '../../../primitives/memory.ts';
import { DistinctPairs } from '../../groups/distinct-pairs.ts';
import type { Pairs } from '../../groups/pair-ids.ts';
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
  #pairs: DistinctPairs;

  constructor(owner: StateOwner) {
    this.#owner = owner;
    this.#pairs = new DistinctPairs(owner);
  }

  put(slot: number, id: number): void {
    this.#pairs.put(slot, id);
  }

  add({ scan, slots, ids }: IdsToAdd): void {
    forPairs(scan, slots, ids, (pairs) => this.#pairs.add(pairs));
  }

  remap(moved: Uint32Array): void {
    const old = this.#pairs;
    this.#pairs = new DistinctPairs(this.#owner);
    const pairs = old.pairs();
    for (let at = 0; at < pairs.length; at += 2) {
      const slot = moved[pairs[at + 1]!]!;
      if (slot !== NOWHERE) this.#pairs.put(slot, pairs[at]!);
    }
    old.release();
  }

  partial(slots: Uint32Array, open: Uint8Array): FoundSets {
    using lease = new Lease();
    const groups = groupBySlot(slots, lease);
    const { memory } = this.#owner;
    const counts = memory.floats(slots.length).fill(0);
    const pairs = this.#pairs.pairs();
    for (let at = 0; at < pairs.length; at += 2) counts[groups[pairs[at + 1]!]!]!++;
    const [ends, next] = [memory.floats(slots.length), lease.words(slots.length)];
    let total = 0;
    for (let group = 0; group < slots.length; group++) {
      next[group] = total;
      ends[group] = total += open[group] === 1 ? counts[group]! : 0;
    }
    const ids = memory.words(total);
    for (let at = 0; at < pairs.length; at += 2) {
      const group = groups[pairs[at + 1]!]!;
      if (open[group] === 1) ids[next[group]!++] = pairs[at]!;
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
