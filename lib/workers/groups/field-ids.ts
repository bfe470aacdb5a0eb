/**
 * The values of one field as ids: one id per text, whatever the type, the same in all segments of a part. 0 is missing.
 * While all rows come from one dictionary of strings, the ids are its codes and nothing is looked up; with a second
 * dictionary, a number or a value of another type, texts get ids through a map (those already given stay).
 */
import type { Field } from '../../dsl/plan.ts';
import { formatTime } from '../../dsl/time/format-time.ts';
import { compareCodePoints, numberText } from '../../dsl/value.ts';
import type { RowContext } from '../query-context.ts';
import type { CodeArray, Codebook, FieldColumn } from '../rows/field-column.ts';
import type { RowSet } from '../rows/row-set.ts';

/** The id of row i is `table[codes[i]]`, or `codes[i]` itself without a table. null: every row is missing. */
export interface RowIds {
  readonly codes: CodeArray;
  readonly table: Uint32Array | null;
}

/** A text in a map of texts: the string, its entry and its id, about. */
const BYTES_PER_TEXT = 120;
const CHECK_EVERY = 16_384;

export class FieldIds {
  readonly field: Field;
  readonly #context: RowContext;
  /** The only book so far, whose codes are the ids. */
  #book: Codebook | null = null;
  /** Once there are more: texts by id, and ids by text. */
  #texts: (string | null)[] | null = null;
  readonly #ids = new Map<string, number>();
  readonly #numbers = new Map<number, number>();
  readonly #tables = new Map<string, Uint32Array>();

  constructor(field: Field, context: RowContext) {
    this.field = field;
    this.#context = context;
  }

  /** Ids are below this. */
  get size(): number {
    return this.#texts?.length ?? (this.#book?.size ?? 0) + 1;
  }

  /** The key of the one dictionary whose codes the ids are; null when there are others. */
  get book(): string | null {
    return this.#texts === null ? (this.#book?.key ?? null) : null;
  }

  /** null: missing. */
  text(id: number): string | null {
    if (id === 0) return null;
    return this.#texts === null ? this.#book!.text(id) : this.#texts[id]!;
  }

  /** The order of two ids by their texts; missing ones are not asked for. */
  compare(a: number, b: number): number {
    if (this.#texts === null && this.#book?.compare !== undefined) return this.#book.compare(a, b);
    return compareCodePoints(this.text(a)!, this.text(b)!);
  }

  /** The ids of rows `from` to `to`; others may be anything. */
  of(rows: RowSet, from: number, to: number): RowIds | null {
    const column = rows.field(this.field);
    if (column === null) return null;
    const { codes, book, numbers } = column;
    if (codes !== null && book !== null && numbers === null) return { codes, table: this.adopt(book) };
    if (numbers === null) return null;
    return { codes: this.#dense(column, rows.rows, { from, to }), table: null };
  }

  /** Code → id of all values of a book; null: the codes are the ids. */
  adopt(book: Codebook): Uint32Array | null {
    if (this.#texts === null) {
      if (this.#book === null && isPlain(book)) this.#book = book;
      if (this.#book?.key === book.key && isPlain(book)) return null;
    }
    return this.#translate(book);
  }

  /** Code → id of a book beside others. */
  #translate(book: Codebook): Uint32Array {
    this.#useTexts();
    const known = this.#tables.get(book.key);
    if (known !== undefined && known.length > book.size) return known;
    const table = new Uint32Array(book.size + 1);
    this.#context.budget.take(table.byteLength - (known?.byteLength ?? 0));
    if (known !== undefined) table.set(known);
    for (let code = known?.length ?? 1; code <= book.size; code++) {
      if (code % CHECK_EVERY === 0) this.#context.checkpoint();
      table[code] = book.type(code) === 'null' ? 0 : this.#idOf(book.text(code));
    }
    this.#tables.set(book.key, table);
    return table;
  }

  #useTexts(): void {
    if (this.#texts !== null) return;
    this.#texts = [null];
    const first = this.#book;
    if (first === null) return;
    // Its codes were ids while all of its values were strings; values of other types came later, their texts may be known.
    for (let code = 1; code <= first.size && first.type(code) === 'string'; code++) this.#add(first.text(code));
  }

  /** Numbers are looked up row by row: there may be as many as rows. */
  #dense({ codes, book, numbers, times }: FieldColumn, rows: number, range: { from: number; to: number }): Uint32Array {
    const ids = new Uint32Array(rows);
    if (codes !== null && book !== null) {
      const table = this.#translate(book);
      for (let row = range.from; row < range.to; row++) ids[row] = table[codes[row]!]!;
    }
    this.#useTexts();
    const { rows: at, values } = numbers!;
    for (let i = 0; i < values.length; i++) {
      const row = at === null ? i : at[i]!;
      if (row < range.from || row >= range.to) continue;
      if (i % CHECK_EVERY === 0) this.#context.checkpoint();
      ids[row] = this.#idOfNumber(values[i]!, times);
    }
    return ids;
  }

  #idOfNumber(value: number, isTime: boolean): number {
    const known = this.#numbers.get(value);
    if (known !== undefined) return known;
    this.#context.budget.take(BYTES_PER_TEXT / 2);
    const id = this.#idOf(isTime ? formatTime(value, this.#context.zone) : numberText(value));
    this.#numbers.set(value, id);
    return id;
  }

  #idOf(text: string): number {
    return this.#ids.get(text) ?? this.#add(text);
  }

  #add(text: string): number {
    this.#context.budget.take(BYTES_PER_TEXT + text.length);
    const id = this.#texts!.push(text) - 1;
    this.#ids.set(text, id);
    return id;
  }
}

/** Whether every code stands for a text of its own: all are strings, and none comes twice. */
function isPlain(book: Codebook): boolean {
  if (book.repeats === true) return false;
  if (book.onlyStrings === true) return true;
  const state = plainBooks.get(book) ?? { size: 0, plain: true };
  for (let code = state.size + 1; state.plain && code <= book.size; code++) state.plain = book.type(code) === 'string';
  state.size = book.size;
  plainBooks.set(book, state);
  return state.plain;
}

const plainBooks = new WeakMap<Codebook, { size: number; plain: boolean }>();
