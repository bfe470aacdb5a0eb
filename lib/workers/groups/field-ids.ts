/**
 * The values of one field as ids: one id per text, of any type, the same in all segments of a part. 0 is missing. While all rows
 * come from one dictionary of strings, its codes are the ids and nothing is looked up; with a second dictionary, a number or a
 * value of another type, texts get ids through a map (ids already given stay).
 */
import { binOf, printedBin } from '../../dsl/plan/bin.ts';
import type { Field, FieldGroup } from '../../dsl/plan/plan.ts';
import { formatTime } from '../../dsl/time/format-time.ts';
import { wordsAt } from '../../primitives/memory.ts';
import { lowerBound } from '../../base/lower-bound.ts';
import { compareCodePoints, numberText } from '../../dsl/plan/value.ts';
import type { RowContext } from '../query-context.ts';
import { everyValue, type CodeArray, type ValueDictionary, type FieldColumn } from '../rows/field-column.ts';
import type { RowSet, RowRange } from '../rows/row-set.ts';
import { rowRange, type Positions } from './positions.ts';
import { CHECK_EVERY } from '../check-every.ts';
import { cohortColumn } from './cohort-column.ts';
import { ENTRY_BYTES } from '../budget.ts';

/** The id of row i is `table[codes[i]]`, or `codes[i]` itself without a table. null: every row is missing. */
export interface CodedIds {
  readonly codes: CodeArray;
  readonly table: Uint32Array | null;
}

/** The id of a row. */
export function idAt(ids: CodedIds | null, row: number): number {
  if (ids === null) return 0;
  const code = ids.codes[row]!;
  return ids.table === null ? code : ids.table[code]!;
}

export class FieldIds {
  readonly field: Field;
  /** Whether elements of arrays take the place of the field's values, in rows that are divided by it. */
  readonly each: boolean;
  /** Of bins; null: every text is a value of its own. */
  readonly #width: number | null;
  readonly #context: RowContext;
  readonly #keeps: boolean;
  /** Of numbers, in the memory that the query holds. */
  #room: Uint32Array = new Uint32Array(0);
  /** The only dictionary so far; its codes are the ids. */
  #dictionary: ValueDictionary | null = null;
  /** Once there are more dictionaries: texts by id, and ids by text. */
  #texts: (string | null)[] | null = null;
  readonly #ids = new Map<string, number>();
  readonly #numbers = new Map<number, number>();
  readonly #tables = new Map<string, Uint32Array>();
  /** The same where only some codes were asked for; others have 0. */
  readonly #someTables = new Map<string, Uint32Array>();

  /** @param keeps Whether ids of several sets of rows are read at once; else those of one are where the last ones were. */
  constructor(
    { field, bin, each }: Pick<FieldGroup, 'field' | 'bin' | 'each'>,
    context: RowContext,
    { keeps = false }: { readonly keeps?: boolean } = {},
  ) {
    this.#keeps = keeps;
    this.field = field;
    this.each = each === true;
    this.#width = bin ?? null;
    this.#context = context;
  }

  /** Ids are below this. */
  get size(): number {
    return this.#texts?.length ?? (this.#dictionary?.size ?? 0) + 1;
  }

  /** The key of the one dictionary whose codes are the ids; null when there are several. */
  get dictionary(): string | null {
    return this.#texts === null ? (this.#dictionary?.key ?? null) : null;
  }

  /** null: missing. */
  text(id: number): string | null {
    if (id === 0) return null;
    return this.#texts === null ? this.#dictionary!.text(id) : this.#texts[id]!;
  }

  /** Compares two ids by their texts; neither may be missing. */
  compare(a: number, b: number): number {
    if (this.#texts === null && this.#dictionary?.compare !== undefined) return this.#dictionary.compare(a, b);
    return compareCodePoints(this.text(a)!, this.text(b)!);
  }

  /** The ids of these rows; others may hold anything. */
  of(rows: RowSet, wanted: Positions): CodedIds | null {
    const column = this.#columnOf(rows, rowRange(wanted));
    if (column === null) return null;
    const { codes, dictionary, numbers } = column;
    if (codes !== null && dictionary !== null && numbers === null) return { codes, table: this.adopt(dictionary) };
    if (numbers === null) return null;
    return { codes: this.#dense(column, rows.rows, wanted), table: null };
  }

  /** The same for a few rows, ascending: the texts of others are not looked up. */
  ofSome(rows: RowSet, some: Uint32Array): CodedIds | null {
    const wanted = { rows: some, spans: some.length === 0 ? [] : [{ bucket: 0, from: 0, to: some.length }] };
    const { codes = null, dictionary = null, numbers = null } = this.#columnOf(rows, rowRange(wanted)) ?? {};
    const isShared = dictionary !== null && this.#context.sharedDictionary(dictionary.key) !== null;
    if (codes !== null && dictionary !== null && numbers === null && !isShared)
      return { codes, table: this.#translateSome(dictionary, codes, some) };
    return this.of(rows, wanted);
  }

  #columnOf(rows: RowSet, range: RowRange): FieldColumn | null {
    if (this.field.kind === 'cohort') return cohortColumn(this.field, rows, range, this.#context);
    return (this.each ? rows.elements?.(this.field) : null) ?? rows.field(this.field);
  }

  /** Code → id for all values of a dictionary; null: the codes are the ids. */
  adopt(dictionary: ValueDictionary): Uint32Array | null {
    if (this.#texts === null && this.#width === null) {
      if (this.#dictionary === null && isPlain(dictionary)) this.#dictionary = dictionary;
      if (this.#dictionary?.key === dictionary.key && isPlain(dictionary)) return null;
    }
    return this.#translate(dictionary);
  }

  /** Code → id for one dictionary among several. */
  #translate(dictionary: ValueDictionary): Uint32Array {
    this.#useTexts();
    const known = this.#tables.get(dictionary.key);
    if (known !== undefined && known.length > dictionary.size) return known;
    const table = new Uint32Array(dictionary.size + 1);
    this.#context.budget.take(table.byteLength - (known?.byteLength ?? 0));
    if (known !== undefined) table.set(known);
    for (let code = known?.length ?? 1; code <= dictionary.size; code++) {
      if (code % CHECK_EVERY === 0) this.#context.checkpoint();
      table[code] = this.#idOfCode(dictionary, code);
    }
    this.#tables.set(dictionary.key, table);
    return table;
  }

  #translateSome(dictionary: ValueDictionary, codes: CodeArray, rows: Uint32Array): Uint32Array {
    this.#useTexts();
    const known = this.#someTables.get(dictionary.key) ?? new Uint32Array(0);
    const table = known.length > dictionary.size ? known : new Uint32Array(dictionary.size + 1);
    this.#context.budget.take(table.byteLength - known.byteLength);
    if (table !== known) table.set(known);
    for (let at = 0; at < rows.length; at++) {
      if (at % CHECK_EVERY === 0) this.#context.checkpoint();
      const code = codes[rows[at]!]!;
      if (code !== 0 && table[code] === 0) table[code] = this.#idOfCode(dictionary, code);
    }
    this.#someTables.set(dictionary.key, table);
    return table;
  }

  #idOfCode(dictionary: ValueDictionary, code: number): number {
    if (this.#width !== null) return this.#idOfBin(dictionary.number(code), this.#width);
    return dictionary.type(code) === 'null' ? 0 : this.#idOf(dictionary.text(code));
  }

  /** Printing where a bin begins takes far longer than finding that: it is done once a bin. */
  #idOfBin(value: number, width: number): number {
    const start = binOf(value, width);
    const known = this.#numbers.get(start);
    if (known !== undefined) return known;
    this.#context.budget.take(ENTRY_BYTES / 2);
    const bin = printedBin(start, width);
    const id = Number.isNaN(bin) ? 0 : this.#idOfNumber(bin, false);
    this.#numbers.set(start, id);
    return id;
  }

  #useTexts(): void {
    if (this.#texts !== null) return;
    this.#texts = [null];
    const first = this.#dictionary;
    if (first === null) return;
    // Its codes were ids while all its values were strings; values of other types came later, their texts may be known.
    for (let code = 1; code <= first.size && first.type(code) === 'string'; code++) this.#add(first.text(code));
  }

  /** Whether values of these rows are looked up one by one, as there may be as many as rows: those of others need not be. */
  looksUp(rows: RowSet): boolean {
    return this.field.kind !== 'cohort' && (rows.field(this.field)?.numbers ?? null) !== null;
  }

  #dense({ codes, dictionary, numbers, times }: FieldColumn, rows: number, wanted: Positions): Uint32Array {
    const { rows: list, spans } = wanted;
    const ids = this.#roomOf(rows);
    const { from: first, to: end } = rowRange(wanted);
    ids.fill(0, first, end);
    const table = codes === null || dictionary === null ? null : this.#translate(dictionary);
    this.#useTexts();
    const width = this.#width;
    const { rows: at, values } = numbers!;
    let place = at === null ? 0 : lowerBound(at, first);
    for (const { from, to } of spans) {
      for (let k = from; k < to; k++) {
        if (k % CHECK_EVERY === 0) this.#context.checkpoint();
        const row = list === null ? k : list[k]!;
        if (table !== null) ids[row] = table[codes![row]!]!;
        if (at !== null) while (place < at.length && at[place]! < row) place++;
        if (at !== null && at[place] !== row) continue;
        const value = values[at === null ? row : place]!;
        ids[row] = width === null ? this.#idOfNumber(value, times) : this.#idOfBin(value, width);
      }
    }
    return ids;
  }

  /** A new view each time: what is cached about an array is keyed by its object. */
  #roomOf(rows: number): Uint32Array {
    if (this.#keeps) return new Uint32Array(rows);
    const { budget, memory } = this.#context;
    const { byteOffset, byteLength, length } = this.#room;
    if (rows > length) {
      budget.take(rows * 4 - byteLength);
      if (length > 0) memory.give(byteOffset);
      this.#room = wordsAt(memory.take(rows * 4), rows);
    }
    return wordsAt(this.#room.byteOffset, rows);
  }

  #idOfNumber(value: number, isTime: boolean): number {
    const known = this.#numbers.get(value);
    if (known !== undefined) return known;
    this.#context.budget.take(ENTRY_BYTES / 2);
    const id = this.#idOf(isTime ? formatTime(value, this.#context.zone) : numberText(value));
    this.#numbers.set(value, id);
    return id;
  }

  #idOf(text: string): number {
    return this.#ids.get(text) ?? this.#add(text);
  }

  #add(text: string): number {
    this.#context.budget.take(ENTRY_BYTES + text.length);
    const id = this.#texts!.push(text) - 1;
    this.#ids.set(text, id);
    return id;
  }
}

/** Whether every code has its own text: all are strings, and none occurs twice. */
function isPlain(dictionary: ValueDictionary): boolean {
  return dictionary.repeats !== true && hasOnlyStrings(dictionary);
}

const hasOnlyStrings = everyValue((type) => type === 'string');
