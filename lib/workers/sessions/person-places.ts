/** Places by person: for the person's session that began last. */
import { lowerBound } from '../../base/lower-bound.ts';
import type { QueryContext } from '../query-context.ts';
import type { SegmentRows } from '../rows/row-set.ts';
import type { CodeArray } from '../rows/field-column.ts';
import { codeArray, pick } from './pick.ts';
import type { Places } from './places.ts';
import type { SessionSet } from './session-set.ts';

export class PersonPlaces implements Places {
  readonly set: SessionSet;
  readonly #context: QueryContext;
  /** Where the places of each part begin among those of all parts, which run from 1. */
  readonly #starts: Uint32Array;
  readonly #length: number;
  /** By person: the place among all; 0: none. */
  readonly #newest: Uint32Array;

  /** @param set Sessions of persons; its segments come by first time. */
  constructor(set: SessionSet, context: QueryContext) {
    this.set = set;
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

  codes(column: readonly Uint32Array[], size: number): CodeArray {
    const flat = new Uint32Array(this.#length);
    for (const [part, values] of column.entries()) flat.set(values, this.#starts[part]);
    const values = codeArray(size, this.#newest.length);
    this.#context.budget.take(flat.byteLength + values.byteLength);
    return pick(flat, this.#newest, values);
  }

  numbers(column: readonly Float64Array[]): Float64Array {
    const flat = new Float64Array(this.#length);
    flat[0] = NaN;
    for (const [part, values] of column.entries()) flat.set(values, this.#starts[part]);
    const values = new Float64Array(this.#newest.length);
    this.#context.budget.take(flat.byteLength + values.byteLength);
    return pick(flat, this.#newest, values);
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
    for (let at = 0; at < persons.length; at++) {
      if (dropped === null || dropped[at] === 0) this.#newest[persons[at]!] = start + at;
    }
  }

  #compare(part: number): void {
    const { formed, dropped } = this.set.parts[part]!;
    const persons = formed.persons!;
    for (let at = 0; at < persons.length; at++) {
      if (dropped !== null && dropped[at] === 1) continue;
      const known = this.#newest[persons[at]!]!;
      if (known !== 0) {
        const before = this.#partOf(known);
        if (this.set.beginsBefore(part, at, before, known - this.#starts[before]!)) continue;
      }
      this.#newest[persons[at]!] = this.#starts[part]! + at;
    }
  }

  #partOf(place: number): number {
    return lowerBound(this.#starts, place + 1) - 1;
  }
}
