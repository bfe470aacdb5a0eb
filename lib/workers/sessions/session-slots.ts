/** Sessions of all segments by one numbering: slots from 1 on, in the order in which they appear. */
import type { Budget } from '../budget.ts';
import { PairTable } from '../groups/pair-table.ts';
import { blocksOf } from '../groups/scan.ts';
import { packedLoop } from '../loops/packed.ts';
import type { RowContext } from '../query-context.ts';
import type { CodeArray } from '../rows/field-column.ts';
import type { FormedSessions } from './segment-sessions.ts';

export interface SessionSlots {
  /** Slots are 1 to `size`. */
  readonly size: number;
  /** The slots of these sessions; new ones get the next. */
  of(sessions: FormedSessions): Uint32Array;
}

const PAGE_BITS = 6;
const PAGE = 1 << PAGE_BITS;

/**
 * Slots by session code. Codes of a range of time mostly stand together, yet late events have any: pages of 64 codes are laid
 * out as they are met.
 */
export class CodeSlots implements SessionSlots {
  readonly #budget: Budget;
  /** Page → where its slots begin in #slots; 0: no session of it was met. */
  #pages = new Uint32Array(1_024);
  #slots = new Uint32Array(PAGE * 1_024);
  #end = PAGE; // the first page is of no session
  size = 0;

  constructor(budget: Budget) {
    this.#budget = budget;
    budget.take(this.#pages.byteLength + this.#slots.byteLength);
  }

  of({ codes }: FormedSessions): Uint32Array {
    const found = new Uint32Array(codes.length);
    for (let at = 0; at < codes.length; at++) {
      const code = codes[at]!;
      const place = this.#pageOf(code >>> PAGE_BITS) + (code & (PAGE - 1));
      let slot = this.#slots[place]!;
      if (slot === 0) this.#slots[place] = slot = ++this.size;
      found[at] = slot;
    }
    return found;
  }

  /** The slot of each row by its session code, none above `high`; 0: in no session that is known here. */
  ofRows(codes: CodeArray, high: number, context: RowContext): Uint32Array {
    this.#reach(high >>> PAGE_BITS);
    const loop = packedLoop((inputs) => {
      const [page, slot] = [inputs.table(this.#pages), inputs.table(this.#slots)];
      const place = `${page}[c >>> ${PAGE_BITS}] + (c & ${PAGE - 1})`;
      return `const c = ${inputs.value(codes)}; out[i] = ${slot}[${place}];`;
    }, null);
    const found = new Uint32Array(codes.length);
    for (const block of blocksOf(0, codes.length)) {
      context.checkpoint();
      loop(found, { ...block, a: 0, b: 0 });
    }
    return found;
  }

  #pageOf(page: number): number {
    if (page >= this.#pages.length) this.#reach(page);
    const known = this.#pages[page]!;
    if (known !== 0) return known;
    if (this.#end === this.#slots.length) this.#slots = this.#grown(this.#slots, this.#end * 2);
    this.#pages[page] = this.#end;
    this.#end += PAGE;
    return this.#pages[page]!;
  }

  #reach(page: number): void {
    if (page >= this.#pages.length) this.#pages = this.#grown(this.#pages, Math.max(page + 1, this.#pages.length * 2));
  }

  #grown(old: Uint32Array, length: number): Uint32Array<ArrayBuffer> {
    this.#budget.take((length - old.length) * 4);
    const larger = new Uint32Array(length);
    larger.set(old);
    return larger;
  }
}

/** Slots by person and session code. */
export class PersonSlots implements SessionSlots {
  readonly #pairs: PairTable;

  constructor(budget: Budget) {
    this.#pairs = new PairTable(budget);
  }

  get size(): number {
    return this.#pairs.size;
  }

  of({ codes, persons }: FormedSessions): Uint32Array {
    const found = new Uint32Array(codes.length);
    for (let at = 0; at < codes.length; at++) found[at] = this.#pairs.id(persons![at]!, codes[at]!) + 1;
    return found;
  }

  /** The person of a slot. */
  personOf(slot: number): number {
    return this.#pairs.first(slot - 1);
  }
}
