/** The values of one field in one set of rows, and the tables of values behind its codes. */
import { kept } from '../../base/kept.ts';
import { numberText, spellsNumber } from '../../dsl/plan/value.ts';
import type { Column, Dictionary, ShardReader, TextType } from '../../shards/shard-reader.ts';
import { Lru } from '../../base/lru.ts';
import { threshold } from '../../base/threshold.ts';
import { CHECK_EVERY } from '../check-every.ts';
import { ENTRY_BYTES } from '../budget.ts';

export type CodeArray = Uint8Array | Uint16Array | Uint32Array;

export type ValueType = TextType | 'number';

/** Code → typed value, like a Dictionary, but of any type. Codes run from 1 to `size`; 0 is missing. Append-only per key. */
export interface ValueDictionary extends Pick<Dictionary, 'key' | 'size' | 'onlyStrings' | 'text'> {
  /** Whether several codes may stand for one value. */
  readonly repeats?: boolean;
  type(code: number): ValueType;
  /** The number that the value is or spells; NaN if none. */
  number(code: number): number;
  /** The code of a string, or 0; present if lookups are possible. */
  find?(text: string): number;
  /** Compares the texts of two codes by code point; present if possible without making them. */
  compare?(a: number, b: number): number;
}

/** Like a Column: a row has a code, or a number, or neither. With `times` the numbers are times, whose text is in the query's zone. */
export interface FieldColumn {
  readonly codes: CodeArray | null;
  readonly dictionary: ValueDictionary | null;
  readonly numbers: RowNumbers | null;
  readonly times: boolean;
}

/** `rows`: ascending rows that have a number; null: all do. */
export type RowNumbers = NonNullable<Column['numbers']>;

/** Codes of rows; 0: none. */
export interface Coded {
  readonly codes: CodeArray;
  readonly dictionary: ValueDictionary;
}

/** A stored column, unchanged. */
export function plainColumn(column: Column | null): FieldColumn | null {
  if (column === null) return null;
  const dictionary = column.dictionary === null ? null : dictionaryOf(column.dictionary);
  return { codes: column.codes, dictionary, numbers: column.numbers, times: false };
}

export function codedColumn(codes: CodeArray, dictionary: ValueDictionary): FieldColumn {
  return { codes, dictionary, numbers: null, times: false };
}

export function timesColumn(numbers: RowNumbers): FieldColumn {
  return { codes: null, dictionary: null, numbers, times: true };
}

/** The times at these places, one row each; NaN, and what is beyond the last, is none. */
export function timesAt(times: Float64Array, places: Uint32Array): FieldColumn {
  const rows = new Uint32Array(places.length);
  const values = new Float64Array(places.length);
  let found = 0;
  for (let row = 0; row < places.length; row++) {
    const time = times[places[row]!] ?? NaN;
    rows[found] = row;
    values[found] = time;
    found += Number.isNaN(time) ? 0 : 1;
  }
  return timesColumn({
    rows: found === places.length ? null : rows.subarray(0, found),
    values: values.subarray(0, found),
  });
}

/** Tells whether all values of a dictionary have such a type; looks at each once, as a dictionary only grows. */
export function everyValue(test: (type: ValueType) => boolean): (dictionary: ValueDictionary) => boolean {
  const seen = new WeakMap<ValueDictionary, number>();
  return (dictionary) => {
    if (dictionary.onlyStrings === true && test('string')) return true;
    let code = (seen.get(dictionary) ?? 0) + 1;
    while (code <= dictionary.size && test(dictionary.type(code))) code++;
    seen.set(dictionary, code - 1);
    return code > dictionary.size;
  };
}

/** A stored dictionary as a dictionary of values, always the same one. */
export function dictionaryOf(stored: Dictionary): ValueDictionary {
  return kept(dictionaries, stored, () => new StoredValues(stored));
}

const dictionaries = new WeakMap<Dictionary, ValueDictionary>();

/** The dictionary with this key, if all segments share it. */
export function sharedDictionary(reader: Pick<ShardReader, 'sharedDictionary'>, key: string): ValueDictionary | null {
  const stored = reader.sharedDictionary(key);
  return stored === null ? null : dictionaryOf(stored);
}

/** Texts of codes up to this are kept as strings: making one from bytes takes 20 times as long as reading it. */
const KEEP_TEXTS = threshold('kept texts of a field', 16_384);
/** UTF-16 units of all texts that the thread keeps, with 16 beside each; counted by the thousand. */
const MOST_KEPT = 16 << 20;

/** Texts by code. A dictionary has its list; the list does not hold the dictionary. */
interface KeptTexts {
  texts: (string | undefined)[];
  length: number;
  counted: number;
}

/** Beyond the limit, the lists that have not grown for longest are emptied. */
const keptTexts = new Lru<KeptTexts, KeptTexts>(MOST_KEPT, (own) =>
  Object.assign(own, { texts: [], length: 0, counted: 0 }),
);

class StoredValues implements ValueDictionary {
  readonly #dictionary: Dictionary;
  readonly #kept: KeptTexts = { texts: [], length: 0, counted: 0 };
  readonly key: string;

  constructor(dictionary: Dictionary) {
    this.#dictionary = dictionary;
    this.key = dictionary.key;
  }

  get size(): number {
    return this.#dictionary.size;
  }
  get onlyStrings(): boolean {
    return this.#dictionary.onlyStrings ?? false;
  }
  type(code: number): ValueType {
    return this.#dictionary.type(code);
  }
  text(code: number): string {
    if (code > KEEP_TEXTS.value) return this.#dictionary.text(code);
    const kept = this.#kept;
    const known = kept.texts[code];
    if (known !== undefined) return known;
    const text = this.#dictionary.text(code);
    kept.texts[code] = text;
    kept.length += text.length + 16;
    if (kept.length > kept.counted) {
      kept.counted = kept.length + 1_024;
      keptTexts.set(kept, kept, kept.counted);
    }
    return text;
  }
  number(code: number): number {
    return this.type(code) === 'string' ? (spellsNumber(this.text(code)) ?? NaN) : NaN;
  }
  find(text: string): number {
    return this.#dictionary.find(text);
  }
  compare(a: number, b: number): number {
    return this.#dictionary.compare(a, b);
  }
}

/** The query that a dictionary is built for. */
interface DictionaryOwner {
  /** Called now and then: asking for many codes parses much. */
  readonly checkpoint: () => void;
  /** Each new value is taken from it before it is kept. */
  readonly budget: { take(bytes: number): void };
}

/** A dictionary built while rows are read; values get codes as they appear. */
export class GrowingDictionary implements ValueDictionary {
  readonly key = `made:${++dictionariesMade}`;
  readonly #types: ValueType[] = ['null'];
  readonly #texts: string[] = [''];
  readonly #codes = new Map<string, number>();
  readonly #owner: DictionaryOwner | null;
  #asked = 0;
  /** About how many bytes its values take. */
  bytes = 0;

  /** @param owner The query that it is built for; none if it is kept beyond a query. */
  constructor(owner: DictionaryOwner | null = null) {
    this.#owner = owner;
  }

  get size(): number {
    return this.#texts.length - 1;
  }
  type(code: number): ValueType {
    return this.#types[code]!;
  }
  text(code: number): string {
    return this.#texts[code]!;
  }
  number(code: number): number {
    const type = this.type(code);
    if (type === 'number') return Number(this.text(code));
    return type === 'string' ? (spellsNumber(this.text(code)) ?? NaN) : NaN;
  }

  /** The code of a typed value, added if it is new. */
  code(type: ValueType, text: string): number {
    const name = type + text;
    const known = this.#codes.get(name);
    if (known !== undefined) return known;
    const bytes = ENTRY_BYTES + 2 * text.length;
    this.#owner?.budget.take(bytes);
    this.bytes += bytes;
    this.#types.push(type);
    this.#texts.push(text);
    this.#codes.set(name, this.size);
    return this.size;
  }

  /** The code of a JSON value; 0 for undefined. */
  codeOf(value: unknown): number {
    if (++this.#asked % CHECK_EVERY === 0) this.#owner?.checkpoint();
    if (value === undefined) return 0;
    if (value === null) return this.code('null', '');
    if (typeof value === 'number') return this.code('number', numberText(value));
    if (typeof value === 'string') return this.code('string', value);
    if (typeof value === 'boolean') return this.code('boolean', String(value));
    return this.code(Array.isArray(value) ? 'array' : 'object', JSON.stringify(value));
  }
}

let dictionariesMade = 0;

/** Writes what the codes of rows become, unless it is 0; `of` is asked once for each code. */
export function translate(into: Uint32Array, { codes, dictionary }: Coded, of: (code: number) => number): void {
  const known = new Int32Array(dictionary.size + 1).fill(UNKNOWN);
  known[0] = 0;
  for (let row = 0; row < codes.length; row++) {
    const code = codes[row]!;
    if (known[code] === UNKNOWN) known[code] = of(code);
    if (known[code] !== 0) into[row] = known[code]!;
  }
}

const UNKNOWN = -1;

/** Writes codes in a dictionary that is built for the coded values of a column. */
export function translateInto(made: GrowingDictionary, into: Uint32Array, column: FieldColumn | null): void {
  const { codes = null, dictionary = null } = column ?? {};
  if (codes === null || dictionary === null) return;
  translate(into, { codes, dictionary }, (code) => made.code(dictionary.type(code), dictionary.text(code)));
}
