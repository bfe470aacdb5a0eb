/** Numbers of sessions as dictionaries: tests run once per number or per session, not once per event. */
import { numberText } from '../../dsl/plan/value.ts';
import type { ValueDictionary } from '../rows/field-column.ts';

/** Code = place. Several codes may have one value. */
export class NumberDictionary implements ValueDictionary {
  readonly key = `session numbers ${++dictionaries}`;
  readonly #values: Float64Array;

  /** @param values NaN where there is no session. */
  constructor(values: Float64Array) {
    this.#values = values;
  }

  get size(): number {
    return this.#values.length - 1;
  }
  type(code: number): 'number' | 'null' {
    return Number.isNaN(this.#values[code]!) ? 'null' : 'number';
  }
  text(code: number): string {
    return numberText(this.#values[code]!);
  }
  number(code: number): number {
    return this.#values[code]!;
  }
}

/** Code = number, for whole numbers from 1 on. */
export class CountDictionary implements ValueDictionary {
  readonly key = `session counts ${++dictionaries}`;
  readonly size: number;

  /** @param most The largest number. */
  constructor(most: number) {
    this.size = most;
  }

  type(): 'number' {
    return 'number';
  }
  text(code: number): string {
    return numberText(code);
  }
  number(code: number): number {
    return code;
  }
}

let dictionaries = 0;
