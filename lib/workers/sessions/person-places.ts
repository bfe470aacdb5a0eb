/** Places by person: for the session of theirs that began last. */
import { blocksOf } from '../groups/select.ts';
import type { LoopArray } from '../loops/generate.ts';
import { packedLoop } from '../loops/packed.ts';
import type { QueryContext } from '../query-context.ts';
import type { EventRows } from '../rows/event-rows.ts';
import type { CodeArray } from '../rows/field-column.ts';
import { codeArray, likeArray, type Places } from './places.ts';
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

  codes(column: readonly Uint32Array[], size: number): CodeArray {
    const values = codeArray(size, this.#newest.length);
    this.#context.budget.take(values.byteLength);
    this.#lay(column, values);
    return values;
  }

  numbers(column: readonly Float64Array[]): Float64Array {
    const values = new Float64Array(this.#newest.length).fill(NaN);
    this.#context.budget.take(values.byteLength);
    this.#lay(column, values);
    return values;
  }

  of(rows: EventRows): Uint32Array {
    return rows.persons();
  }

  gather(values: CodeArray, rows: EventRows): CodeArray {
    const persons = rows.persons();
    const gathered = likeArray(values, persons.length);
    const loop = packedLoop((inputs) => `out[i] = ${inputs.table(values)}[${inputs.value(persons)}];`, null);
    for (const block of blocksOf(0, persons.length)) {
      this.#context.checkpoint();
      loop(gathered, { ...block, a: 0, b: 0 });
    }
    return gathered;
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

  #lay(column: readonly (Uint32Array | Float64Array)[], values: LoopArray): void {
    for (let person = 0; person < values.length; person++) {
      const place = this.#newest[person]!;
      if (place !== 0) values[person] = column[this.#partOf[person]!]![place - 1]!;
    }
  }
}
