/** Sets of ids as (slot, id) pairs in one hash table: for many groups, of which each has few ids. */
import type { Budget } from '../budget.ts';
import { PairTable } from '../groups/pair-table.ts';
import { blocksOf } from '../groups/select.ts';
import { NOWHERE } from '../groups/slots.ts';
import { slotExpression } from '../loops/expressions.ts';
import { packedLoop } from '../loops/packed.ts';
import type { IdsToAdd } from './bit-sets.ts';
import { groupBySlot } from './numbers.ts';
import type { FoundSets } from './unique.ts';

const BLOCK = 4_096;

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
    const { rows, spans } = scan.selected();
    const place = rows === null ? 'i' : 'k';
    const loop = packedLoop(
      (inputs) => `out[${place} - from] = a + ${slotExpression(scan.slots, inputs) || '0'};`,
      rows,
    );
    const own = new Uint32Array(BLOCK);
    for (const span of spans) {
      const base = slots.base(span.bucket);
      for (const block of blocksOf(span.from, span.to)) {
        for (let from = block.from; from < block.to; from += BLOCK) {
          scan.context.checkpoint();
          const to = Math.min(from + BLOCK, block.to);
          loop(own, { from, to, a: base, b: 0 });
          this.#putBlock(own, ids, rows, { from, to });
        }
      }
    }
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

  #putBlock(
    slots: Uint32Array,
    { codes, table }: IdsToAdd['ids'],
    rows: Uint32Array | null,
    { from, to }: { readonly from: number; readonly to: number },
  ): void {
    const pairs = this.#pairs;
    for (let k = from; k < to; k++) {
      const code = codes[rows === null ? k : rows[k]!]!;
      const id = table === null ? code : table[code]!;
      if (id !== 0) pairs.id(slots[k - from]!, id);
    }
  }
}
