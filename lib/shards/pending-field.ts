/** The values of one field in the rows that wait to be sealed, and the field's dictionary in the thread that writes. */
import type { RawField } from './segment/raw.ts';
import { joinedTexts, type TextList } from './encoding/texts.ts';
import { GrowableFloat64, GrowableUint32 } from './growable.ts';
import { TextTable } from './text-table.ts';
import { threshold } from '../threshold.ts';

/**
 * A field has one dictionary for the whole project until it has this many values or bytes of text; from then on segments carry
 * new values in dictionaries of their own. u16 codes and tables of this size stay in the cache of a core.
 */
const DICTIONARY_VALUES = threshold('values of a dictionary', 65_535, { least: 1, most: 65_535 });
const DICTIONARY_BYTES = 8 << 20;
/** What a text takes in a table besides its bytes. */
const ENTRY_BYTES = 24;

/** What the fields of a project share: the bytes that their dictionaries may still take, and those of text that wait to be stored. */
export interface FieldRoom {
  left: number;
  fresh: number;
}

/** Of a dictionary that the project has no room for: every value goes to the segment's own. */
const CLOSED = new TextTable();

/** A value of a field as it is stored. */
export interface FieldCode {
  readonly field: PendingField;
  readonly code: number;
}

export class PendingField {
  readonly id: number;
  readonly key: string;
  /** Of `url` and `referrer`: the fields that follow from each value, by code. Made once a value and forgotten at a seal. */
  readonly derived: Map<number, readonly FieldCode[]> | null;
  /** Values beyond the full dictionary, since the last seal. Their codes follow DICTIONARY_VALUES. */
  #local: TextTable | null = null;
  readonly #rows = new GrowableUint32();
  readonly #codes = new GrowableUint32();
  readonly #numberRows = new GrowableUint32();
  readonly #numbers = new GrowableFloat64();

  /** null: not read yet. */
  #dictionary: TextTable | null;
  readonly #load: (() => TextTable) | null;
  readonly #room: FieldRoom;
  /** Codes of the dictionary that are on disk. */
  #persisted = 0;

  /** @param load Reads what is stored of the dictionary; left out: nothing is. */
  constructor(id: number, key: string, room: FieldRoom, load: (() => TextTable) | null = null) {
    this.id = id;
    this.key = key;
    this.#room = room;
    this.#load = load;
    this.#dictionary = load ? null : new TextTable();
    this.derived = key === 'p:url' || key === 'p:referrer' ? new Map() : null;
  }

  get memory(): number {
    return (this.#dictionary?.memory ?? 0) + (this.#local?.memory ?? 0);
  }

  /** The code of a text in this field, for `pushCode`. Good until the next seal. */
  code(bytes: Uint8Array, start: number, end: number, hash: number, type = 0): number {
    const dictionary = this.#dictionary ?? this.#open();
    const known = dictionary.find(bytes, start, end, hash, type);
    if (known !== 0) return known;
    if (this.#fits(dictionary, end - start)) return this.#add(dictionary, bytes, start, end, hash, type);
    this.#local ??= new TextTable();
    const before = this.#local.size;
    const code = this.#local.code(bytes, start, end, hash, type);
    if (this.#local.size > before) this.#room.fresh += end - start;
    return DICTIONARY_VALUES.value + code;
  }

  /** Texts that the next save stores, and the code of the first; null when there are none. */
  get fresh(): { readonly first: number; readonly list: TextList } | null {
    const size = this.#dictionary?.size ?? 0;
    if (size <= this.#persisted) return null;
    const codes = new Uint32Array(size - this.#persisted);
    for (let i = 0; i < codes.length; i++) codes[i] = this.#persisted + 1 + i;
    return { first: this.#persisted + 1, list: this.#dictionary!.list(codes) };
  }

  saved(): void {
    this.#persisted = this.#dictionary?.size ?? 0;
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
    const codes = this.#codes.values.subarray(0, this.#codes.length);
    return {
      field: this.id,
      rows: this.#rows.values.subarray(0, this.#rows.length),
      ...(this.#local ? this.#ownTexts(this.#local, codes) : { codes, local: null }),
      numberRows: this.#numberRows.values.subarray(0, this.#numberRows.length),
      numbers: this.#numbers.values.subarray(0, this.#numbers.length),
    };
  }

  clear(): void {
    this.derived?.clear();
    this.#local = null;
    this.#rows.length = this.#codes.length = this.#numberRows.length = this.#numbers.length = 0;
  }

  /** Reads the dictionary. One that the project has no room for is let go again: its values go to segments' own from now on. */
  #open(): TextTable {
    const table = this.#load!();
    const bytes = table.textBytes + table.size * ENTRY_BYTES;
    const fits = bytes <= this.#room.left;
    if (fits) this.#room.left -= bytes;
    this.#dictionary = fits ? table : CLOSED;
    this.#persisted = this.#dictionary.size;
    return this.#dictionary;
  }

  #fits(dictionary: TextTable, length: number): boolean {
    return (
      dictionary !== CLOSED &&
      dictionary.size < DICTIONARY_VALUES.value &&
      dictionary.textBytes + length <= DICTIONARY_BYTES &&
      length + ENTRY_BYTES <= this.#room.left
    );
  }

  // oxlint-disable-next-line eslint/max-params -- as TextTable.code, which it calls for every new value
  #add(dictionary: TextTable, bytes: Uint8Array, start: number, end: number, hash: number, type: number): number {
    const code = dictionary.code(bytes, start, end, hash, type);
    this.#room.left -= end - start + ENTRY_BYTES;
    this.#room.fresh += end - start;
    return code;
  }

  /** Texts of the segment's own: those of the project's dictionary that occur, then the local ones. And codes that number them. */
  #ownTexts(local: TextTable, own: Uint32Array): Pick<RawField, 'codes' | 'local'> {
    const codes = own.slice();
    const dictionary = this.#dictionary ?? CLOSED;
    const places = new Uint32Array(dictionary.size + 1);
    for (const code of codes) if (code <= DICTIONARY_VALUES.value) places[code] = 1;
    let count = 0;
    const used = new Uint32Array(dictionary.size);
    for (let code = 1; code < places.length; code++) {
      if (places[code] === 0) continue;
      used[count] = code;
      places[code] = ++count;
    }
    for (let i = 0; i < codes.length; i++) {
      const code = codes[i]!;
      codes[i] = code <= DICTIONARY_VALUES.value ? places[code]! : code - DICTIONARY_VALUES.value + count;
    }
    return { codes, local: joinedTexts(dictionary.list(used.subarray(0, count)), local.whole()) };
  }
}
