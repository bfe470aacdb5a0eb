/** The values of one field in the pending rows, and the field's dictionary in the writer. */
import type { RawField } from '../../segment/raw.ts';
import { RowCodes } from '../../segment/row-codes.ts';
import { joinedTexts } from '../../segment/encoding/texts.ts';
import type { StateBatch } from '../../state-batch.ts';
import { GrowableFloat64, GrowableUint32, handedOver } from '../../../base/growable.ts';
import { TextTable } from '../../dictionary/text-table.ts';
import { threshold } from '../../../base/threshold.ts';

/**
 * A field has one dictionary for the whole project until it has this many values or bytes of text; then segments carry new values
 * in their own dictionaries. u16 codes and tables of this size stay in a core's cache.
 */
const DICTIONARY_VALUES = threshold('values of a dictionary', 65_535, { least: 1, most: 65_535 });
const DICTIONARY_BYTES = 8 << 20;
/** What a text takes in a table, beyond its bytes. */
const ENTRY_BYTES = 24;

/** Shared by the fields of a project: bytes that their dictionaries may still take, and bytes of text waiting to be stored. */
export interface FieldRoom {
  left: number;
  fresh: number;
}

/** The dictionary if the project has no room for it: every value goes to the segment's own. */
const CLOSED = new TextTable();

/** A stored value of a field. */
export interface FieldCode {
  readonly field: PendingField;
  readonly code: number;
}

class FieldValues {
  readonly codes = new RowCodes();
  readonly numberRows = new GrowableUint32();
  readonly numbers = new GrowableFloat64();
  /** Values beyond the full dictionary. Their codes follow DICTIONARY_VALUES. */
  local: TextTable | null = null;

  get empty(): boolean {
    return this.codes.length + this.numberRows.length === 0;
  }

  /** Drops the values of rows from `rows` on. */
  truncate(rows: number): void {
    this.codes.truncate(rows);
    const { numberRows, numbers } = this;
    while (numberRows.length > 0 && numberRows.values[numberRows.length - 1]! >= rows)
      numbers.length = --numberRows.length;
  }
}

export class PendingField {
  readonly id: number;
  readonly key: string;
  /** For `url` and `referrer`: the fields that follow from each value, by code. Computed once per value, dropped at a seal. */
  readonly derived: Map<number, readonly FieldCode[]> | null;
  #values = new FieldValues();
  /** Values being sealed. */
  #frozen: FieldValues | null = null;

  /** null: not read yet */
  #dictionary: TextTable | null;
  readonly #load: (() => TextTable) | null;
  readonly #room: FieldRoom;
  /** Numbers of the dictionary's codes that are on disk, and that are once the next seal is. */
  #persisted = 0;
  #taken = 0;

  /** @param load Reads the stored dictionary; omitted if nothing is stored. */
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

  /** The code of a text in this field, for `pushCode`. Valid until the next seal. */
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

  /** The texts that were frozen, and the code of the first; null if there are none. The same each time until `saved`. */
  freshTexts(): StateBatch['properties'][number] | null {
    const first = this.#persisted + 1;
    return this.#taken < first ? null : { field: this.id, first, list: this.#dictionary!.range(first, this.#taken) };
  }

  /** Call it once what `freshTexts` returned is stored. */
  saved(): void {
    this.#persisted = this.#taken;
  }

  pushCode(row: number, code: number): void {
    this.#values.codes.push(row, code);
  }

  pushNumber(row: number, value: number): void {
    this.#values.numberRows.push(row);
    this.#values.numbers.push(value);
  }

  /** Drops the values of rows from `rows` on. */
  truncate(rows: number): void {
    this.#values.truncate(rows);
  }

  /** Sets aside what a seal stores; later values belong to other rows. */
  freeze(): void {
    this.derived?.clear();
    this.#taken = this.#dictionary?.size ?? 0;
    if (this.#values.empty) return;
    this.#frozen = this.#values;
    this.#values = new FieldValues();
  }

  /** The frozen values for a segment of so many rows, for any thread: valid until `sealed`. null if there are none. */
  raw(rows: number): RawField | null {
    const frozen = this.#frozen;
    if (frozen === null) return null;
    const { numberRows, numbers, local } = frozen;
    const codes = handedOver(frozen.codes.values, frozen.codes.length);
    const rowsOfCodes = frozen.codes.rowsOf(rows);
    return {
      field: this.id,
      rows: rowsOfCodes && handedOver(rowsOfCodes, rowsOfCodes.length),
      ...(local ? this.#ownTexts(local, codes) : { codes, local: null }),
      numberRows: handedOver(numberRows.values, numberRows.length),
      numbers: handedOver(numbers.values, numbers.length),
    };
  }

  /** Call it once the frozen values are in a segment. */
  sealed(): void {
    this.#frozen = null;
  }

  /** Reads the dictionary, but drops it again if the project has no room: its values then go to segments' own dictionaries. */
  #open(): TextTable {
    const table = this.#load!();
    const bytes = table.textBytes + table.size * ENTRY_BYTES;
    const fits = bytes <= this.#room.left;
    if (fits) this.#room.left -= bytes;
    this.#dictionary = fits ? table : CLOSED;
    this.#persisted = this.#taken = this.#dictionary.size;
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

  /** The segment's own texts: the project's that occur, then the local ones; and the codes that number them. */
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
    return { codes, local: joinedTexts([dictionary.list(used.subarray(0, count)), local.listAfter(0)]) };
  }
}
