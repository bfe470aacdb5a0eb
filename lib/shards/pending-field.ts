/** The values of one field in the rows that wait to be sealed, and the field's dictionary in the thread that writes. */
import type { RawField } from './segment/raw.ts';
import { GrowableFloat64, GrowableUint32 } from './growable.ts';
import { TextTable } from './text-table.ts';
import { threshold } from '../threshold.ts';

/**
 * A field has one dictionary for the whole project until it has this many values or bytes of text; from then on segments carry
 * new values in dictionaries of their own. u16 codes and tables of this size stay in the cache of a core.
 */
const DICTIONARY_VALUES = threshold('values of a dictionary', 65_535, { least: 1, most: 65_535 });
const DICTIONARY_BYTES = 8 << 20;

/** A value of a field as it is stored. */
export interface FieldCode {
  readonly field: PendingField;
  readonly code: number;
}

export class PendingField {
  readonly id: number;
  readonly key: string;
  readonly dictionary: TextTable;
  /** Codes of the dictionary that are on disk. */
  persisted: number;
  /** Of `url` and `referrer`: the fields that follow from each value, by code. Made once a value and forgotten at a seal. */
  readonly derived: Map<number, readonly FieldCode[]> | null;
  /** Values beyond the full dictionary, since the last seal. Their codes follow DICTIONARY_VALUES. */
  #local: TextTable | null = null;
  readonly #rows = new GrowableUint32();
  readonly #codes = new GrowableUint32();
  readonly #numberRows = new GrowableUint32();
  readonly #numbers = new GrowableFloat64();

  constructor(id: number, key: string, dictionary = new TextTable()) {
    this.id = id;
    this.key = key;
    this.dictionary = dictionary;
    this.persisted = dictionary.size;
    this.derived = key === 'p:url' || key === 'p:referrer' ? new Map() : null;
  }

  get memory(): number {
    return this.dictionary.memory + (this.#local?.memory ?? 0);
  }

  /** The code of a text in this field, for `pushCode`. Good until the next seal. */
  code(bytes: Uint8Array, start: number, end: number, hash: number, type = 0): number {
    const known = this.dictionary.find(bytes, start, end, hash, type);
    if (known !== 0) return known;
    if (this.#fits(end - start)) return this.dictionary.code(bytes, start, end, hash, type);
    this.#local ??= new TextTable();
    return DICTIONARY_VALUES.value + this.#local.code(bytes, start, end, hash, type);
  }

  pushCode(row: number, code: number): void {
    this.#rows.push(row);
    this.#codes.push(code);
  }

  pushNumber(row: number, value: number): void {
    this.#numberRows.push(row);
    this.#numbers.push(value);
  }

  /** Forgets the values of rows from `rows` on. */
  truncate(rows: number): void {
    while (this.#rows.length > 0 && this.#rows.values[this.#rows.length - 1]! >= rows)
      this.#codes.length = --this.#rows.length;
    while (this.#numberRows.length > 0 && this.#numberRows.values[this.#numberRows.length - 1]! >= rows) {
      this.#numbers.length = --this.#numberRows.length;
    }
  }

  /** The values for a segment, as views that are good until `clear`; null when there are none. */
  raw(): RawField | null {
    if (this.#rows.length + this.#numberRows.length === 0) return null;
    return {
      field: this.id,
      rows: this.#rows.values.subarray(0, this.#rows.length),
      codes: this.#codes.values.subarray(0, this.#codes.length),
      local: this.#local ? { type: (code) => this.#typeOf(code), bytes: (code) => this.#bytesOf(code) } : null,
      numberRows: this.#numberRows.values.subarray(0, this.#numberRows.length),
      numbers: this.#numbers.values.subarray(0, this.#numbers.length),
    };
  }

  clear(): void {
    this.derived?.clear();
    this.#local = null;
    this.#rows.length = this.#codes.length = this.#numberRows.length = this.#numbers.length = 0;
  }

  #fits(length: number): boolean {
    return this.dictionary.size < DICTIONARY_VALUES.value && this.dictionary.textBytes + length <= DICTIONARY_BYTES;
  }

  #typeOf(code: number): number {
    return code > DICTIONARY_VALUES.value
      ? this.#local!.type(code - DICTIONARY_VALUES.value)
      : this.dictionary.type(code);
  }

  #bytesOf(code: number): Uint8Array {
    return code > DICTIONARY_VALUES.value
      ? this.#local!.bytes(code - DICTIONARY_VALUES.value)
      : this.dictionary.bytes(code);
  }
}
