/** The values of one field in the rows that wait to be sealed, and the field's dictionary in the thread that writes. */
import type { RawField } from '../../segment/raw.ts';
import { joinedTexts, type TextList } from '../../segment/encoding/texts.ts';
import { GrowableFloat64, GrowableUint32 } from '../../../base/growable.ts';
import { TextTable } from '../../dictionary/text-table.ts';
import { threshold } from '../../../base/threshold.ts';

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

/** Values of the rows that are sealed together. */
class FieldValues {
  readonly rows = new GrowableUint32();
  readonly codes = new GrowableUint32();
  readonly numberRows = new GrowableUint32();
  readonly numbers = new GrowableFloat64();
  /** Values beyond the full dictionary. Their codes follow DICTIONARY_VALUES. */
  local: TextTable | null = null;

  get empty(): boolean {
    return this.rows.length + this.numberRows.length === 0;
  }

  /** Forgets all values, and keeps the memory. */
  clear(): void {
    this.local = null;
    this.rows.length = this.codes.length = this.numberRows.length = this.numbers.length = 0;
  }
}

export class PendingField {
  readonly id: number;
  readonly key: string;
  /** Of `url` and `referrer`: the fields that follow from each value, by code. Made once a value and forgotten at a seal. */
  readonly derived: Map<number, readonly FieldCode[]> | null;
  #values = new FieldValues();
  /** Those that are being sealed. */
  #frozen: FieldValues | null = null;
  /** Memory of the last that were: arrays that grow anew for each seal would be as much garbage as there are bodies. */
  #spare: FieldValues | null = null;

  /** null: not read yet. */
  #dictionary: TextTable | null;
  readonly #load: (() => TextTable) | null;
  readonly #room: FieldRoom;
  /** Codes of the dictionary that are on disk, and those that were told as fresh. */
  #persisted = 0;
  #told = 0;

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
    return (this.#dictionary?.memory ?? 0) + (this.#values.local?.memory ?? 0) + (this.#frozen?.local?.memory ?? 0);
  }

  /** The code of a text in this field, for `pushCode`. Good until the next seal. */
  code(bytes: Uint8Array, start: number, end: number, hash: number, type = 0): number {
    const dictionary = this.#dictionary ?? this.#open();
    const known = dictionary.find(bytes, start, end, hash, type);
    if (known !== 0) return known;
    if (this.#fits(dictionary, end - start)) return this.#add(dictionary, bytes, start, end, hash, type);
    const local = (this.#values.local ??= new TextTable());
    const before = local.size;
    const code = local.code(bytes, start, end, hash, type);
    if (local.size > before) this.#room.fresh += end - start;
    return DICTIONARY_VALUES.value + code;
  }

  /** Texts that a save stores, and the code of the first; null when there are none. */
  takeFresh(): { readonly first: number; readonly list: TextList } | null {
    const size = this.#dictionary?.size ?? 0;
    this.#told = size;
    if (size <= this.#persisted) return null;
    const codes = new Uint32Array(size - this.#persisted);
    for (let i = 0; i < codes.length; i++) codes[i] = this.#persisted + 1 + i;
    return { first: this.#persisted + 1, list: this.#dictionary!.list(codes) };
  }

  /** What was taken as fresh is stored. */
  saved(): void {
    this.#persisted = this.#told;
  }

  pushCode(row: number, code: number): void {
    this.#values.rows.push(row);
    this.#values.codes.push(code);
  }

  pushNumber(row: number, value: number): void {
    this.#values.numberRows.push(row);
    this.#values.numbers.push(value);
  }

  /** Forgets the values of rows from `rows` on. */
  truncate(rows: number): void {
    const { rows: codeRows, codes, numberRows, numbers } = this.#values;
    while (codeRows.length > 0 && codeRows.values[codeRows.length - 1]! >= rows) codes.length = --codeRows.length;
    while (numberRows.length > 0 && numberRows.values[numberRows.length - 1]! >= rows)
      numbers.length = --numberRows.length;
  }

  /** Sets apart what a seal takes: values from now on are of other rows. */
  freeze(): void {
    this.derived?.clear();
    if (this.#values.empty) return;
    this.#frozen = this.#values;
    this.#values = this.#spare ?? new FieldValues();
    this.#spare = null;
  }

  /** The frozen values for a segment, as views that are good until `sealed`; null when there are none. */
  raw(): RawField | null {
    const frozen = this.#frozen;
    if (frozen === null) return null;
    const { rows, numberRows, numbers, local } = frozen;
    const codes = frozen.codes.values.subarray(0, frozen.codes.length);
    return {
      field: this.id,
      rows: rows.values.subarray(0, rows.length),
      ...(local ? this.#ownTexts(local, codes) : { codes, local: null }),
      numberRows: numberRows.values.subarray(0, numberRows.length),
      numbers: numbers.values.subarray(0, numbers.length),
    };
  }

  /** The frozen values are in a segment. */
  sealed(): void {
    this.#spare = this.#frozen ?? this.#spare;
    this.#spare?.clear();
    this.#frozen = null;
  }

  /** Gives back memory that only many values need. */
  rest(): void {
    this.#spare = null;
    if (this.#values.empty && this.#values.local === null) this.#values = new FieldValues();
  }

  /** Reads the dictionary. One that the project has no room for is let go again: its values go to segments' own from now on. */
  #open(): TextTable {
    const table = this.#load!();
    const bytes = table.textBytes + table.size * ENTRY_BYTES;
    const fits = bytes <= this.#room.left;
    if (fits) this.#room.left -= bytes;
    this.#dictionary = fits ? table : CLOSED;
    this.#persisted = this.#told = this.#dictionary.size;
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
