/** Places by session code: for the event's own session. */
import { blocksOf } from '../groups/scan.ts';
import { packedLoop } from '../loops/packed.ts';
import type { QueryContext } from '../query-context.ts';
import type { EventRows } from '../rows/event-rows.ts';
import type { Places } from './places.ts';
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

  codes(column: readonly ArrayLike<number>[]): Uint32Array {
    const values = new Uint32Array(this.#length);
    this.#context.budget.take(values.byteLength);
    return this.#lay(column, values);
  }

  numbers(column: readonly ArrayLike<number>[]): Float64Array {
    const values = new Float64Array(this.#length).fill(NaN);
    this.#context.budget.take(values.byteLength);
    return this.#lay(column, values);
  }

  of(rows: EventRows): Uint32Array {
    return this.#loop(rows, (place) => place, null);
  }

  gather(values: Uint32Array, rows: EventRows): Uint32Array {
    return this.#loop(rows, (place, name) => `${name}[${place}]`, values);
  }

  #layOut(): number {
    let end = PAGE;
    for (const { formed } of this.set.parts) {
      for (let at = 0; at < formed.codes.length; at++) {
        const page = formed.codes[at]! >>> PAGE_BITS;
        if (this.#pages[page] !== 0) continue;
        this.#pages[page] = end;
        end += PAGE;
      }
    }
    return end;
  }

  #lay<A extends Uint32Array | Float64Array>(column: readonly ArrayLike<number>[], values: A): A {
    for (const [part, { formed, dropped }] of this.set.parts.entries()) {
      const own = column[part]!;
      const { codes } = formed;
      for (let at = 0; at < codes.length; at++) {
        if (dropped !== null && dropped[at] === 1) continue;
        const code = codes[at]!;
        values[this.#pages[code >>> PAGE_BITS]! + (code & (PAGE - 1))] = own[at]!;
      }
    }
    return values;
  }

  /** Plain form: `out[i] = value(place(codes[i]))`. */
  #loop(rows: EventRows, value: (place: string, name: string) => string, values: Uint32Array | null): Uint32Array {
    const found = new Uint32Array(rows.rows);
    const codes = rows.segment.column('session_id')?.codes;
    if (!codes) return found;
    const pages = this.#reaching(codesOf(rows.segment).high >>> PAGE_BITS);
    const loop = packedLoop((inputs) => {
      const place = `${inputs.table(pages)}[c >>> ${PAGE_BITS}] + (c & ${PAGE - 1})`;
      return `const c = ${inputs.value(codes)}; out[i] = ${value(place, values === null ? '' : inputs.table(values))};`;
    }, null);
    for (const block of blocksOf(0, codes.length)) {
      this.#context.checkpoint();
      loop(found, { ...block, a: 0, b: 0 });
    }
    return found;
  }

  /** The pages up to this one: a segment beside the range may have codes beyond those that were met. */
  #reaching(page: number): Uint32Array {
    if (page < this.#pages.length) return this.#pages;
    const pages = new Uint32Array(page + 1);
    pages.set(this.#pages);
    return pages;
  }
}
