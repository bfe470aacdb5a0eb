/** One array for a field of all sessions, and where it holds each event's session. */
import type { RowRange, SegmentRows } from '../rows/row-set.ts';
import type { TimeRange } from '../../dsl/time/units.ts';
import type { FormedSessions } from './segment-sessions.ts';
import type { CodeArray } from '../rows/field-column.ts';
import type { SessionSet } from './session-set.ts';
import { addressOfArray, primitives, Scratch, wordsAt } from '../../primitives/memory.ts';
import { codeSize } from '../../primitives/columns.ts';
import type { QueryContext } from '../query-context.ts';
import { pick } from '../rows/pick.ts';
import { codesOf } from './row-keys.ts';
import { lowerBound } from '../../base/lower-bound.ts';

/** By part of a set of sessions, then by place. */
type Column = readonly (Uint32Array | Float64Array)[];

/** Place 0, and any other that no session has, means no session. */
export interface Places {
  readonly set: SessionSet;
  /** All places are below this. */
  readonly length: number;
  /** Arranges the codes or numbers of a column, by part of the set, by place. Leaves what `into` has where there is no session. */
  lay(column: Column, into: CodeArray | Float64Array): void;
  /** The place of each row's session. */
  of(rows: SegmentRows): Uint32Array;
}

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
  readonly #times: TimeRange;
  /** Page → where its places begin; 0: none of its sessions appeared. */
  readonly #pages: Uint32Array;

  /** @param times Events outside it are of none of these sessions, whatever their session id. */
  constructor(set: SessionSet, times: TimeRange, context: QueryContext) {
    this.set = set;
    this.#times = times;
    this.#context = context;
    const high = set.parts.reduce((most, { sessions }) => Math.max(most, codesOf(sessions.segment).high), 0);
    this.#pages = new Uint32Array((high >>> PAGE_BITS) + 1);
    context.budget.take(this.#pages.byteLength);
    this.length = this.#layOut();
  }

  of(rows: SegmentRows): Uint32Array {
    const codes = rows.segment.column('session_id')?.codes;
    if (!codes) return new Uint32Array(rows.rows);
    this.#context.checkpoint();
    const places = placesOf(codes, this.#reaching(codesOf(rows.segment).high >>> PAGE_BITS));
    const { from, to } = this.#times;
    return places.fill(0, 0, rows.rowAt(from)).fill(0, rows.rowAt(to));
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
  lay(column: Column, into: CodeArray | Float64Array): void {
    const { parts } = this.set;
    for (const [part, { formed }] of parts.entries()) {
      this.#context.checkpoint();
      put(column[part]!, placesOf(formed.codes, this.#pages), into);
    }
    const { shared, firsts } = this.set.joins;
    for (const first of firsts) {
      const [part, place] = [shared.pieces[first]!, shared.places[first]!];
      const code = parts[part]!.formed.codes[place]!;
      into[this.#pages[code >>> PAGE_BITS]! + (code & (PAGE - 1))] = column[part]![place]!;
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

const rooms = { codes: new Scratch(), pages: new Scratch(), places: new Scratch() };

function placesOf(codes: CodeArray, pages: Uint32Array): Uint32Array {
  const { length } = codes;
  const out = rooms.places.of(length * 4);
  const [from, table] = [addressOfArray(codes, rooms.codes), addressOfArray(pages, rooms.pages)];
  primitives.placesInPages(from, codeSize(codes), length, table, PAGE_BITS, out);
  return new Uint32Array(wordsAt(out, length));
}

function put(column: Uint32Array | Float64Array, places: Uint32Array, values: CodeArray | Float64Array): void {
  for (let at = 0; at < places.length; at++) values[places[at]!] = column[at]!;
}

/** By person: the person's session that began last. */
export class PersonPlaces implements Places {
  readonly set: SessionSet;
  readonly #context: QueryContext;
  /** Where the places of each part begin among those of all parts, which run from 1. */
  readonly #starts: Uint32Array;
  readonly #length: number;
  /** By person: the place among all; 0: none. */
  readonly #newest: Uint32Array;

  readonly #begin: TimeRange;

  /** @param set Sessions of persons; its segments come by first time. @param begin Only sessions that begin in it count. */
  constructor(set: SessionSet, begin: TimeRange, context: QueryContext) {
    this.set = set;
    this.#begin = begin;
    this.#context = context;
    const starts: number[] = [];
    let length = 1;
    for (const { formed } of set.parts) {
      starts.push(length);
      length += formed.codes.length;
    }
    this.#starts = Uint32Array.from(starts);
    this.#length = length;
    this.#newest = new Uint32Array(context.identity().size);
    context.budget.take(this.#newest.byteLength);
    this.#takeAll();
  }

  get length(): number {
    return this.#newest.length;
  }

  lay(column: Column, into: CodeArray | Float64Array): void {
    const flat = into instanceof Float64Array ? new Float64Array(this.#length) : new Uint32Array(this.#length);
    this.#context.budget.take(flat.byteLength);
    flat[0] = into[0]!; // of persons without a session
    for (const [part, values] of column.entries()) flat.set(values, this.#starts[part]);
    pick(flat, this.#newest, into);
  }

  of(rows: SegmentRows): Uint32Array {
    this.#context.checkpoint();
    return rows.persons();
  }

  #takeAll(): void {
    let latest = -Infinity;
    for (const [part, { formed }] of this.set.parts.entries()) {
      this.#context.checkpoint();
      const times = formed.firstTimes;
      if (times[0]! > latest) this.#takeLater(part);
      else this.#compare(part);
      latest = Math.max(latest, times.at(-1)!);
    }
  }

  /** All sessions of the part begin after those taken so far, and are in order. */
  #takeLater(part: number): void {
    const { formed, dropped } = this.set.parts[part]!;
    const persons = formed.persons!;
    const start = this.#starts[part]!;
    const { from, to } = this.#counted(formed);
    for (let at = from; at < to; at++) {
      if (dropped === null || dropped[at] === 0) this.#newest[persons[at]!] = start + at;
    }
  }

  #compare(part: number): void {
    const { formed, dropped } = this.set.parts[part]!;
    const persons = formed.persons!;
    const { from, to } = this.#counted(formed);
    for (let at = from; at < to; at++) {
      if (dropped !== null && dropped[at] === 1) continue;
      const known = this.#newest[persons[at]!]!;
      if (known !== 0) {
        const before = this.#partOf(known);
        if (this.set.beginsBefore(part, at, before, known - this.#starts[before]!)) continue;
      }
      this.#newest[persons[at]!] = this.#starts[part]! + at;
    }
  }

  /** The places of sessions that begin early and late enough. */
  #counted({ firstTimes }: FormedSessions): RowRange {
    return { from: lowerBound(firstTimes, this.#begin.from), to: lowerBound(firstTimes, this.#begin.to) };
  }

  #partOf(place: number): number {
    return lowerBound(this.#starts, place + 1) - 1;
  }
}
