/** Places by session code: for the event's own session. */
import { blocksOf } from '../groups/select.ts';
import type { LoopArray, LoopWriter } from '../loops/generate.ts';
import { packedLoop } from '../loops/packed.ts';
import type { QueryContext } from '../query-context.ts';
import type { EventRows } from '../rows/event-rows.ts';
import type { CodeArray } from '../rows/field-column.ts';
import { codeArray, likeArray, type Places } from './places.ts';
import { codesOf } from './row-keys.ts';
import type { SessionSet } from './session-set.ts';

const PAGE_BITS = 6;
const PAGE = 1 << PAGE_BITS;

/**
 * Codes of a range of time mostly stand together, yet late events have any: pages of 64 codes are laid out as they are met,
 * after a first page of no session.
 */
export class CodePlaces implements Places {
  readonly set: SessionSet;
  readonly #context: QueryContext;
  /** Page → where its places begin; 0: no session of it was met. */
  readonly #pages: Uint32Array;
  readonly #length: number;

  constructor(set: SessionSet, context: QueryContext) {
    this.set = set;
    this.#context = context;
    const high = set.parts.reduce((most, { sessions }) => Math.max(most, codesOf(sessions.segment).high), 0);
    this.#pages = new Uint32Array((high >>> PAGE_BITS) + 1);
    context.budget.take(this.#pages.byteLength);
    this.#length = this.#layOut();
  }

  codes(column: readonly Uint32Array[], size: number): CodeArray {
    const values = codeArray(size, this.#length);
    this.#context.budget.take(values.byteLength);
    this.#lay(column, values);
    return values;
  }

  numbers(column: readonly Float64Array[]): Float64Array {
    const values = new Float64Array(this.#length).fill(NaN);
    this.#context.budget.take(values.byteLength);
    this.#lay(column, values);
    return values;
  }

  of(rows: EventRows): Uint32Array {
    const places = new Uint32Array(rows.rows);
    this.#loop(rows, (place) => place, places);
    return places;
  }

  gather(values: CodeArray, rows: EventRows): CodeArray {
    const gathered = likeArray(values, rows.rows);
    this.#loop(rows, (place, inputs) => `${inputs.table(values)}[${place}]`, gathered);
    return gathered;
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

  /** What is dropped is written, too, and then overwritten by the part where the session begins. */
  #lay(column: readonly (Uint32Array | Float64Array)[], values: LoopArray): void {
    const { parts } = this.set;
    for (const [part, { formed }] of parts.entries()) {
      this.#context.checkpoint();
      const loop = packedLoop((inputs) => {
        const place = placeOf(inputs.table(this.#pages));
        return `const c = ${inputs.value(formed.codes)}; out[${place}] = ${inputs.value(column[part]!)};`;
      }, null);
      loop(values, { from: 0, to: formed.codes.length, a: 0, b: 0 });
    }
    const { shared, firsts } = this.set.joins;
    for (const first of firsts) {
      const [part, place] = [shared.pieces[first]!, shared.places[first]!];
      const code = parts[part]!.formed.codes[place]!;
      values[this.#pages[code >>> PAGE_BITS]! + (code & (PAGE - 1))] = column[part]![place]!;
    }
  }

  /** Plain form: `out[i] = value(place(codes[i]))`. */
  #loop(rows: EventRows, value: (place: string, inputs: LoopWriter) => string, out: CodeArray): void {
    const codes = rows.segment.column('session_id')?.codes;
    if (!codes) return;
    const pages = this.#reaching(codesOf(rows.segment).high >>> PAGE_BITS);
    const loop = packedLoop((inputs) => {
      const place = placeOf(inputs.table(pages));
      return `const c = ${inputs.value(codes)}; out[i] = ${value(place, inputs)};`;
    }, null);
    for (const block of blocksOf(0, codes.length)) {
      this.#context.checkpoint();
      loop(out, { ...block, a: 0, b: 0 });
    }
  }

  /** The pages up to this one: a segment beside the range may have codes beyond those that were met. */
  #reaching(page: number): Uint32Array {
    if (page < this.#pages.length) return this.#pages;
    const pages = new Uint32Array(page + 1);
    pages.set(this.#pages);
    return pages;
  }
}

/** The place of code c. */
function placeOf(pages: string): string {
  return `${pages}[c >>> ${PAGE_BITS}] + (c & ${PAGE - 1})`;
}
