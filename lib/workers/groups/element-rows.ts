/** Rows divided by fields with arrays: a row for each distinct element, with the fields of the row that it is of. */
import { kept } from '../../base/kept.ts';
import { fieldKey } from '../../dsl/plan/fields.ts';
import type { Field } from '../../dsl/plan/plan.ts';
import { elementsOf } from '../../dsl/plan/elements.ts';
import { lowerBound } from '../../base/lower-bound.ts';
import type { RowContext } from '../query-context.ts';
import {
  everyValue,
  GrowingDictionary,
  type CodeArray,
  type FieldColumn,
  type ValueDictionary,
} from '../rows/field-column.ts';
import { codeArray } from '../rows/pick.ts';
import { pickColumn } from '../rows/pick-column.ts';
import { personsOf, type RowSet } from '../rows/row-set.ts';
import { ALL } from '../where/filter.ts';
import type { FieldIds } from './field-ids.ts';
import { positionsOf, listedRows } from './positions.ts';
import { select } from './select.ts';
import type { RowsToAdd } from './source-rows.ts';
import { CHECK_EVERY } from '../check-every.ts';

/** Those that pass the filter, divided by each of the fields that have arrays; unchanged where none has. */
export function elementRows(added: RowsToAdd, fields: readonly FieldIds[], context: RowContext): RowsToAdd {
  const { rows, list, from, to, filter } = added;
  const divisible = fields.filter(({ field }) => hasArrays(rows.field(field)?.dictionary ?? null));
  if (divisible.length === 0) return added;
  const passing = select(positionsOf(rows, list, { from, to }, null), filter, context);
  let divided: RowSet = rows;
  let chosen: Uint32Array | null = listedRows(passing);
  for (const { field } of divisible) {
    divided = new ElementRows(divided, chosen, field, context);
    chosen = null;
  }
  return { rows: divided, list: null, from: 0, to: divided.rows, filter: ALL };
}

const hasArrays = (dictionary: ValueDictionary | null): boolean => dictionary !== null && !isFreeOfArrays(dictionary);

const isFreeOfArrays = everyValue((type) => type !== 'array');

class ElementRows implements RowSet {
  readonly rows: number;
  readonly #of: RowSet;
  readonly #field: string;
  /** Makes the row that each is of, once it is asked for. */
  readonly #makeOrigins: () => Uint32Array;
  #madeOrigins: Uint32Array | null = null;
  readonly #elements: FieldColumn;
  readonly #columns = new Map<string, FieldColumn | null>();

  /** @param chosen The rows to divide; null: all. */
  constructor(of: RowSet, chosen: Uint32Array | null, field: Field, context: RowContext) {
    this.#of = of;
    this.#field = fieldKey(field);
    const column = of.field(field);
    const made = new Elements(column?.dictionary ?? null, context);
    const codes = column?.codes ?? new Uint8Array(of.rows);
    const divided = chosen ?? listedRows(positionsOf(of, null, { from: 0, to: of.rows }, null));
    this.rows = made.count(codes, divided);
    context.budget.take(this.rows * (4 + 4)); // the row that each is of, and its code
    this.#makeOrigins = () => made.origins(codes, divided, new Uint32Array(this.rows));
    const elements = made.elements(codes, divided, codeArray(made.dictionary.size, this.rows));
    const numbers = (column?.numbers ?? null) === null ? null : this.#pick({ ...column!, codes: null })!.numbers;
    this.#elements = { codes: elements, dictionary: made.dictionary, numbers, times: column?.times ?? false };
  }

  rowAt(time: number): number {
    return lowerBound(this.#origins, this.#of.rowAt(time));
  }

  field(field: Field): FieldColumn | null {
    return kept(this.#columns, fieldKey(field), () => this.#pick(this.#of.field(field)));
  }

  persons(): Uint32Array {
    const own = personsOf(this.#of);
    return this.#origins.map((row) => own?.[row] ?? 0);
  }

  elements(field: Field): FieldColumn | null {
    return fieldKey(field) === this.#field ? this.#elements : this.#pick(this.#of.elements?.(field) ?? null);
  }

  get #origins(): Uint32Array {
    return (this.#madeOrigins ??= this.#makeOrigins());
  }

  #pick(column: FieldColumn | null): FieldColumn | null {
    return column === null ? null : pickColumn(column, this.#origins);
  }
}

/** Without an element a row still counts. */
const NONE: readonly number[] = [0];

/** The elements of each value of a dictionary, as codes of another one. */
class Elements {
  readonly dictionary: GrowingDictionary;
  readonly #of: ValueDictionary | null;
  readonly #context: RowContext;
  /** By code: where its elements begin in the list, and how many they are; 0: nobody has asked yet. */
  readonly #starts: Uint32Array;
  readonly #counts: Uint32Array;
  readonly #list: number[] = [];

  constructor(of: ValueDictionary | null, context: RowContext) {
    this.dictionary = new GrowingDictionary(context);
    this.#of = of;
    this.#context = context;
    const size = (of?.size ?? 0) + 1;
    context.budget.take(size * 8);
    this.#starts = new Uint32Array(size);
    this.#counts = new Uint32Array(size);
  }

  /** How many elements some rows have together. */
  count(codes: CodeArray, rows: Uint32Array): number {
    let count = 0;
    for (let at = 0; at < rows.length; at++) {
      if (at % CHECK_EVERY === 0) this.#context.checkpoint();
      const code = codes[rows[at]!]!;
      count += this.#counts[code]! || this.#read(code);
    }
    return count;
  }

  /** Writes the elements of these rows, once they are counted. Returns `out`, as the others do. */
  elements<A extends CodeArray>(codes: CodeArray, rows: Uint32Array, out: A): A {
    let next = 0;
    for (let at = 0; at < rows.length; at++) {
      if (at % CHECK_EVERY === 0) this.#context.checkpoint();
      const code = codes[rows[at]!]!;
      const start = this.#starts[code]!;
      const end = start + this.#counts[code]!;
      for (let element = start; element < end; element++) out[next++] = this.#list[element]!;
    }
    return out;
  }

  /** Writes the row of each element. */
  origins(codes: CodeArray, rows: Uint32Array, out: Uint32Array): Uint32Array {
    let next = 0;
    for (let at = 0; at < rows.length; at++) {
      if (at % CHECK_EVERY === 0) this.#context.checkpoint();
      const row = rows[at]!;
      for (const end = next + this.#counts[codes[row]!]!; next < end; next++) out[next] = row;
    }
    return out;
  }

  /** Lists the elements of a code. Returns how many they are, at least one. */
  #read(code: number): number {
    const own = code === 0 || this.#of === null ? NONE : this.#codes(this.#of, code);
    this.#context.budget.take(own.length * 8);
    this.#starts[code] = this.#list.length;
    this.#counts[code] = own.length;
    for (const element of own) this.#list.push(element);
    return own.length;
  }

  #codes(of: ValueDictionary, code: number): readonly number[] {
    const type = of.type(code);
    if (type === 'null') return NONE;
    if (type !== 'array') return [this.dictionary.code(type, of.text(code))];
    // By text: 42 and "42" are one group.
    return elementsOf(of.text(code)).map((text) => (text === null ? 0 : this.dictionary.code('string', text)));
  }
}
