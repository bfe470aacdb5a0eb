/** Places by person: for the session of theirs that began last. */
import type { QueryContext } from '../query-context.ts';
import type { EventRows } from '../rows/event-rows.ts';
import type { Places } from './places.ts';
import type { SessionSet } from './session-set.ts';

export class PersonPlaces implements Places {
  readonly set: SessionSet;
  readonly #context: QueryContext;
  /** By person: the place in its part, plus 1, and the part. */
  readonly #newest: Uint32Array;
  readonly #partOf: Uint32Array;

  /** @param set Sessions of persons. */
  constructor(set: SessionSet, context: QueryContext) {
    this.set = set;
    this.#context = context;
    const { size } = context.identity();
    context.budget.take(size * 8);
    this.#newest = new Uint32Array(size);
    this.#partOf = new Uint32Array(size);
    for (const part of set.parts.keys()) this.#take(part);
  }

  codes(column: readonly ArrayLike<number>[]): Uint32Array {
    const values = new Uint32Array(this.#newest.length);
    this.#context.budget.take(values.byteLength);
    return this.#lay(column, values);
  }

  numbers(column: readonly ArrayLike<number>[]): Float64Array {
    const values = new Float64Array(this.#newest.length).fill(NaN);
    this.#context.budget.take(values.byteLength);
    return this.#lay(column, values);
  }

  of(rows: EventRows): Uint32Array {
    return rows.persons();
  }

  gather(values: Uint32Array, rows: EventRows): Uint32Array {
    const persons = rows.persons();
    const found = new Uint32Array(persons.length);
    for (let row = 0; row < found.length; row++) found[row] = values[persons[row]!]!;
    return found;
  }

  #take(part: number): void {
    this.#context.checkpoint();
    const { parts } = this.set;
    const { formed, dropped } = parts[part]!;
    const persons = formed.persons!;
    for (let at = 0; at < persons.length; at++) {
      if (dropped !== null && dropped[at] === 1) continue;
      const person = persons[at]!;
      const known = this.#newest[person]!;
      const knownPart = this.#partOf[person]!;
      if (known !== 0) {
        const before = parts[knownPart]!.formed.firstTimes[known - 1]!;
        const time = formed.firstTimes[at]!;
        if (time < before || (time === before && this.set.beginsBefore(part, at, knownPart, known - 1))) continue;
      }
      this.#newest[person] = at + 1;
      this.#partOf[person] = part;
    }
  }

  #lay<A extends Uint32Array | Float64Array>(column: readonly ArrayLike<number>[], values: A): A {
    for (let person = 0; person < values.length; person++) {
      const place = this.#newest[person]!;
      if (place !== 0) values[person] = column[this.#partOf[person]!]![place - 1]!;
    }
    return values;
  }
}
