/** Places by session code: for events' own sessions. */
import { addressOf, primitives, Room, wordsAt } from '../../primitives/memory.ts';
import { sizeOf } from '../../primitives/columns.ts';
import type { QueryContext } from '../query-context.ts';
import type { SegmentRows } from '../rows/row-set.ts';
import type { CodeArray } from '../rows/field-column.ts';
import { codeArray } from './pick.ts';
import type { Places } from './places.ts';
import { codesOf } from './row-keys.ts';
import type { SessionSet } from './session-set.ts';

const PAGE_BITS = 6;
const PAGE = 1 << PAGE_BITS;

/**
 * Codes in a range of time are usually contiguous, but late events have any: pages of 64 codes are laid out as they appear, after
 * a first page for no session.
 */
export class CodePlaces implements Places {
  readonly set: SessionSet;
  readonly length: number;
  readonly #context: QueryContext;
  /** Page → where its places begin; 0: none of its sessions appeared. */
  readonly #pages: Uint32Array;

  constructor(set: SessionSet, context: QueryContext) {
    this.set = set;
    this.#context = context;
    const high = set.parts.reduce((most, { sessions }) => Math.max(most, codesOf(sessions.segment).high), 0);
    this.#pages = new Uint32Array((high >>> PAGE_BITS) + 1);
    context.budget.take(this.#pages.byteLength);
    this.length = this.#layOut();
  }

  codes(column: readonly Uint32Array[], size: number): CodeArray {
    const values = codeArray(size, this.length);
    this.#context.budget.take(values.byteLength);
    this.#lay(column, values);
    return values;
  }

  numbers(column: readonly Float64Array[]): Float64Array {
    const values = new Float64Array(this.length).fill(NaN);
    this.#context.budget.take(values.byteLength);
    this.#lay(column, values);
    return values;
  }

  of(rows: SegmentRows): Uint32Array {
    const codes = rows.segment.column('session_id')?.codes;
    if (!codes) return new Uint32Array(rows.rows);
    this.#context.checkpoint();
    return placesOf(codes, this.#reaching(codesOf(rows.segment).high >>> PAGE_BITS));
  }

  #layOut(): number {
    let end = PAGE;
    const meet = (page: number): void => {
      if (this.#pages[page] !== 0) return;
      this.#pages[page] = end;
      end += PAGE;
    };
    for (const { formed } of this.set.parts) {
      const { bits, codes } = formed;
      if (bits === null) for (let at = 0; at < codes.length; at++) meet(codes[at]! >>> PAGE_BITS);
      else
        for (let at = 0; at < bits.words.length; at++)
          if (bits.words[at] !== 0) meet((bits.low + at * 32) >>> PAGE_BITS);
    }
    return end;
  }

  /** Dropped places are written too, then overwritten by the part where the session begins. */
  #lay(column: readonly (Uint32Array | Float64Array)[], values: CodeArray | Float64Array): void {
    const { parts } = this.set;
    for (const [part, { formed }] of parts.entries()) {
      this.#context.checkpoint();
      put(column[part]!, placesOf(formed.codes, this.#pages), values);
    }
    const { shared, firsts } = this.set.joins;
    for (const first of firsts) {
      const [part, place] = [shared.pieces[first]!, shared.places[first]!];
      const code = parts[part]!.formed.codes[place]!;
      values[this.#pages[code >>> PAGE_BITS]! + (code & (PAGE - 1))] = column[part]![place]!;
    }
  }

  /** The pages up to this one: outside the range, a segment may have codes beyond those that appeared. */
  #reaching(page: number): Uint32Array {
    if (page < this.#pages.length) return this.#pages;
    const pages = new Uint32Array(page + 1);
    pages.set(this.#pages);
    return pages;
  }
}

const rooms = { codes: new Room(), pages: new Room(), places: new Room() };

function placesOf(codes: CodeArray, pages: Uint32Array): Uint32Array {
  const { length } = codes;
  const out = rooms.places.of(length * 4);
  const [from, table] = [addressOf(codes, rooms.codes), addressOf(pages, rooms.pages)];
  primitives.placesInPages(from, sizeOf(codes), length, table, PAGE_BITS, out);
  return new Uint32Array(wordsAt(out, length));
}

function put(column: Uint32Array | Float64Array, places: Uint32Array, values: CodeArray | Float64Array): void {
  for (let at = 0; at < places.length; at++) values[places[at]!] = column[at]!;
}
