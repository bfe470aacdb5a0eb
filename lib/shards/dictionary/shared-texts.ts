/**
 * An unbounded dictionary shared by all segments of a project: user and device ids, sessions, event types. The writer keeps
 * recent texts in memory, bounded in bytes; beyond a certain size all texts are also indexed on disk by their hashes, to find the
 * codes of the others. All but one in a thousand new texts need no disk access.
 */
import { storedCodes, storedText, storedTexts } from './chunks.ts';
import type { TextList } from '../segment/encoding/texts.ts';
import { GrowableUint32 } from '../../base/growable.ts';
import { hashBytes } from '../hashing/hash.ts';
import type { Connection } from '../file/shard-file.ts';
import { TextIndex, type TextIndexOptions } from './text-index.ts';
import type { TextRunHead } from './text-runs.ts';
import { TextTable } from './text-table.ts';

/** Limits of texts and of their bytes; larger dictionaries are indexed. */
const INDEX_TEXTS = 65_535;
const INDEX_BYTES = 8 << 20;
/** Earlier texts that a seal indexes besides the new ones: takes some ten milliseconds. */
const BACKLOG = 131_072;

/** Texts with consecutive codes, from `first` on. */
export interface NumberedTexts {
  readonly first: number;
  readonly list: TextList;
}

/** The unstored part of a dictionary. */
export interface DictionaryBatch {
  readonly field: number;
  /** New texts, following the stored ones; null if none. */
  readonly fresh: NumberedTexts | null;
  /** Texts for a new run of the index, some of which may be stored already; null if none. */
  readonly index: NumberedTexts | null;
}

export interface SharedTextsOptions extends TextIndexOptions {
  /** Bytes of texts that may stay in memory, plus whatever is not sealed yet. */
  readonly bytes: number;
}

/** Texts in memory. `codes`: by position in the table - 1; null: positions are codes. */
interface Generation {
  readonly table: TextTable;
  readonly codes: GrowableUint32 | null;
}

export class SharedTexts {
  readonly field: number;
  readonly index: TextIndex;
  readonly #options: SharedTextsOptions;
  #young: Generation = { table: new TextTable(), codes: null };
  #old: Generation | null = null;
  #size = 0;
  #persisted = 0;
  /** Number of codes that the next save stores, and whether it adds to the index. */
  #taken = 0;
  #indexes = false;
  #indexed = 0;
  /** Bytes of texts not yet taken for a save. */
  #freshBytes = 0;

  constructor(options: SharedTextsOptions) {
    this.#options = options;
    this.field = options.field;
    this.index = new TextIndex(options);
  }

  /** Codes assigned so far: 1 to `size`. */
  get size(): number {
    return this.#size;
  }

  /** Bytes of memory in use. */
  get memory(): number {
    return memoryOf(this.#young) + (this.#old ? memoryOf(this.#old) : 0) + this.index.memory;
  }

  /** Number of codes whose texts are stored. */
  get stored(): number {
    return this.#persisted;
  }

  /** Bytes of text that the next seal stores. */
  get freshBytes(): number {
    return this.#freshBytes;
  }

  /** Reads what the index lacks: nothing, for a large dictionary. */
  load(connection: Connection): void {
    this.index.load(connection);
    this.#indexed = this.index.indexed;
    this.#persisted = this.#size = storedCodes(connection, this.field);
    this.#young = { table: new TextTable(), codes: this.#indexed === 0 ? null : new GrowableUint32() };
    const { table, codes } = this.#young;
    for (const { first, list } of storedTexts(connection, this.field, this.#indexed + 1)) {
      const from = Math.max(0, this.#indexed + 1 - first);
      table.load(list, from);
      if (codes) for (let i = from; i < list.count; i++) codes.push(first + i);
    }
  }

  /** The code of a text, or 0. `hash` is hashBytes of the same bytes. */
  find(connection: () => Connection, { bytes, start, end, hash }: TextPlace): number {
    const young = this.#young.table.find(bytes, start, end, hash);
    if (young !== 0) return codeAt(this.#young, young);
    return this.#young.codes === null ? 0 : this.#findElsewhere(connection, bytes, start, end, hash);
  }

  /** The code of a text, new if needed. */
  code(connection: () => Connection, bytes: Uint8Array, start: number, end: number, hash: number): number {
    const { table, codes } = this.#young;
    const young = table.find(bytes, start, end, hash);
    if (young !== 0) return codes === null ? young : codes.values[young - 1]!;
    const known = codes === null ? 0 : this.#findElsewhere(connection, bytes, start, end, hash);
    table.code(bytes, start, end, hash);
    if (known !== 0) {
      codes!.push(known);
      return known;
    }
    this.#freshBytes += end - start;
    codes?.push(this.#size + 1);
    return ++this.#size;
  }

  text(connection: () => Connection, code: number): string {
    const { table, codes } = this.#young;
    if (codes === null) return Buffer.from(table.bytes(code)).toString('utf8');
    if (code <= this.#persisted) return storedText(connection(), this.field, code);
    return Buffer.from(table.bytes(codes.values.subarray(0, codes.length).indexOf(code) + 1)).toString('utf8');
  }

  /** Sets aside what a seal stores: the new texts, and texts that the index lacks. */
  freeze(): void {
    this.#taken = this.#size;
    this.#indexes = this.#wantsIndex;
    this.#freshBytes = 0;
  }

  /** What was frozen, the same each time until `saved`. */
  batch(): DictionaryBatch {
    const { field } = this;
    const fresh = this.#taken > this.#persisted ? this.#textsAfter(this.#persisted, this.#taken) : null;
    if (!this.#indexes) return { field, fresh, index: null };
    const until = Math.min(this.#taken, this.#indexed + this.#taken - this.#persisted + BACKLOG);
    if (until === this.#indexed) return { field, fresh, index: null };
    const same = this.#indexed === this.#persisted && until === this.#taken;
    return { field, fresh, index: same ? fresh : this.#textsAfter(this.#indexed, until) };
  }

  /** Call it once the batch is stored. @param run What was added to the index. */
  saved(run: TextRunHead | undefined): void {
    if (run) {
      this.index.add(run);
      this.#indexed = run.last;
    }
    this.#persisted = this.#taken;
    if (this.#indexed === this.#persisted && memoryOf(this.#young) > this.#options.bytes >>> 1) this.#turn();
  }

  /** Whether seals without new texts would still add to the index. */
  get unindexed(): boolean {
    return this.#wantsIndex && this.#indexed < this.#persisted;
  }

  get #wantsIndex(): boolean {
    if (this.#indexed > 0 || this.#size > INDEX_TEXTS) return true;
    return this.#young.table.textBytes > Math.min(INDEX_BYTES, this.#options.bytes >>> 2);
  }

  /** The young generation becomes the old one, which is dropped. Unstored texts stay in the young one. */
  #turn(): void {
    const unsaved = this.#textsAfter(this.#persisted, this.#size);
    this.#old = this.#young;
    this.#young = { table: new TextTable(), codes: new GrowableUint32() };
    this.#young.table.load(unsaved.list);
    for (let code = unsaved.first; code <= this.#size; code++) this.#young.codes!.push(code);
  }

  #findElsewhere(connection: () => Connection, bytes: Uint8Array, start: number, end: number, hash: number): number {
    const old = this.#old?.table.find(bytes, start, end, hash) ?? 0;
    if (old !== 0) return codeAt(this.#old!, old);
    return this.index.find(connection, bytes, start, end);
  }

  /** The texts of the codes after `code`, up to `until`, all of which are in the young table in the order of their codes. */
  #textsAfter(code: number, until: number): NumberedTexts {
    const { table, codes } = this.#young;
    if (codes === null) return { first: code + 1, list: table.range(code + 1, until) };
    const places = new Uint32Array(until - code);
    let found = 0;
    for (let place = 1; place <= table.size; place++) {
      const own = codes.values[place - 1]!;
      if (own > code && own <= until) places[found++] = place;
    }
    if (found !== places.length) throw new Error(`dictionary ${this.field} lacks texts after code ${code}`);
    return { first: code + 1, list: table.list(places) };
  }
}

/** The bytes of a text, and their hashBytes. */
export interface TextPlace {
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
  readonly hash: number;
}

export function textPlaceOf(text: string): TextPlace {
  const bytes = Buffer.from(text);
  return { bytes, start: 0, end: bytes.length, hash: hashBytes(bytes, 0, bytes.length) };
}

const codeAt = ({ codes }: Generation, place: number): number => (codes === null ? place : codes.values[place - 1]!);
const memoryOf = ({ table, codes }: Generation): number => table.memory + (codes?.values.byteLength ?? 0);
