/**
 * Typed texts ↔ codes, for the writer: an open-addressing table over an array of bytes. JavaScript strings in a Map take five
 * times the memory, and block the thread for long when the Map grows. Codes run from 1 in order of arrival. Append-only.
 */
import type { TextList } from '../segment/encoding/texts.ts';
import { hashBytes } from '../hashing/hash.ts';
import { NO_BYTES } from '../../base/growable.ts';

/** Shared by all tables without texts: thousands of projects have a dozen tables each, mostly empty. */
const NO_ENDS = new Uint32Array(1);
const NO_PAIRS = new Uint32Array(2);
/** Texts and slots that the first arrays have room for; bytes, as many times that. */
const FIRST = 16;
const MOST_BYTES = 1 << 30;

export class TextTable {
  /** Pairs of hash and code, at least half of them free (code 0); a power of two of them. */
  #pairs = NO_PAIRS;
  /** The text of code c is [ends[c - 1], ends[c]) of these. */
  #bytes = NO_BYTES;
  #ends = NO_ENDS;
  /** null: all are strings. */
  #types: Uint8Array | null = null;
  #size = 0;
  readonly #mostBytes: number;

  /** @param mostBytes Bytes of text that it may hold. Its users stay far below. */
  constructor(mostBytes = MOST_BYTES) {
    this.#mostBytes = mostBytes;
  }

  /** Codes assigned so far: 1 to `size`. */
  get size(): number {
    return this.#size;
  }

  /** Bytes of memory in use. */
  get memory(): number {
    return this.#pairs.byteLength + this.#bytes.byteLength + this.#ends.byteLength + (this.#types?.byteLength ?? 0);
  }

  /** Bytes of text held. */
  get textBytes(): number {
    return this.#ends[this.#size]!;
  }

  /** The code of a text of a type (see TYPE_CODES), or 0. `hash` is hashBytes of the same bytes. */
  find(bytes: Uint8Array, start: number, end: number, hash: number, type = 0): number {
    const key = keyOf(hash, type);
    const pairs = this.#pairs;
    const mask = (pairs.length >>> 1) - 1; // half of it as a fraction would make all that follows slower
    for (let i = key & mask; ; i = (i + 1) & mask) {
      const code = pairs[i * 2 + 1]!;
      if (code === 0) return 0;
      if (pairs[i * 2] === key && this.type(code) === type && this.#equals(code, bytes, start, end)) return code;
    }
  }

  /** The code of a text of a type, new if needed. */
  code(bytes: Uint8Array, start: number, end: number, hash: number, type = 0): number {
    const found = this.find(bytes, start, end, hash, type);
    return found || this.#add(bytes, start, end, hash, type);
  }

  /** Adds stored texts in the order of their codes, from index `from` on. */
  load(list: TextList, from = 0): void {
    for (let i = from, start = from === 0 ? 0 : list.ends[from - 1]!; i < list.count; i++) {
      const end = list.ends[i]!;
      this.#add(list.bytes, start, end, hashBytes(list.bytes, start, end), list.types[i]!);
      start = end;
    }
  }

  type(code: number): number {
    return this.#types === null ? 0 : this.#types[code]!;
  }

  /** The bytes of a code's text: a view, valid until the next text is added. */
  bytes(code: number): Uint8Array {
    return this.#bytes.subarray(this.#ends[code - 1]!, this.#ends[code]!);
  }

  /** The texts of some codes, in stored form. */
  list(codes: Uint32Array): TextList {
    const types = new Uint8Array(codes.length);
    const ends = new Uint32Array(codes.length);
    let length = 0;
    for (let i = 0; i < codes.length; i++) {
      const code = codes[i]!;
      types[i] = this.type(code);
      ends[i] = length += this.#ends[code]! - this.#ends[code - 1]!;
    }
    const bytes = new Uint8Array(length);
    for (let from = 0, at = 0; from < codes.length;) {
      let until = from + 1; // texts with consecutive codes are copied together
      while (until < codes.length && codes[until] === codes[until - 1]! + 1) until++;
      bytes.set(this.#bytes.subarray(this.#ends[codes[from]! - 1]!, this.#ends[codes[until - 1]!]!), at);
      at = ends[until - 1]!;
      from = until;
    }
    return { count: codes.length, types, ends, bytes };
  }

  /** The texts with codes after `code`, in stored form: all of them after 0. */
  listAfter(code: number): TextList {
    return this.range(code + 1, this.#size);
  }

  /** The texts with codes from `first` to `last`, in stored form. */
  range(first: number, last: number): TextList {
    const count = last - first + 1;
    const before = this.#ends[first - 1]!;
    const ends = this.#ends.slice(first, last + 1);
    for (let i = 0; i < count; i++) ends[i]! -= before;
    const types = this.#types?.slice(first, last + 1) ?? new Uint8Array(count);
    return { count, types, ends, bytes: this.#bytes.slice(before, this.#ends[last]!) };
  }

  #equals(code: number, bytes: Uint8Array, start: number, end: number): boolean {
    const from = this.#ends[code - 1]!;
    const length = end - start;
    if (this.#ends[code]! - from !== length) return false;
    const mine = this.#bytes;
    for (let i = 0; i < length; i++) if (mine[from + i] !== bytes[start + i]) return false;
    return true;
  }

  /** All arrays grow before anything changes: if one cannot grow, the table stays as it was. */
  #add(bytes: Uint8Array, start: number, end: number, hash: number, type: number): number {
    const code = this.#size + 1;
    const from = this.#ends[this.#size]!;
    const until = from + end - start;
    if (until > this.#mostBytes) throw new RangeError(`a table of texts holds more than ${this.#mostBytes} bytes`);
    this.#makeRoom(code, until);
    if (type !== 0) this.#types ??= new Uint8Array(this.#ends.length);
    this.#bytes.set(bytes.subarray(start, end), from);
    if (this.#types !== null) this.#types[code] = type;
    this.#ends[code] = until;
    place(this.#pairs, keyOf(hash, type), code);
    this.#size = code;
    return code;
  }

  #makeRoom(code: number, bytes: number): void {
    if (code * 4 > this.#pairs.length) {
      const old = this.#pairs;
      const larger = new Uint32Array(Math.max(FIRST, old.length) * 2);
      for (let i = 0; i < old.length; i += 2) if (old[i + 1] !== 0) place(larger, old[i]!, old[i + 1]!);
      this.#pairs = larger;
    }
    if (bytes > this.#bytes.length) this.#bytes = grown(Uint8Array, this.#bytes, Math.max(bytes, FIRST * 8));
    if (code < this.#ends.length) return;
    const ends = grown(Uint32Array, this.#ends, code + 1);
    if (this.#types !== null) this.#types = grown(Uint8Array, this.#types, code + 1);
    this.#ends = ends;
  }
}

/** The same text with two types gets two slots. */
const keyOf = (hash: number, type: number): number => (hash ^ Math.imul(type, 0x9e3779b9)) >>> 0;

function place(pairs: Uint32Array, hash: number, code: number): void {
  const mask = (pairs.length >>> 1) - 1;
  let i = hash & mask;
  while (pairs[i * 2 + 1] !== 0) i = (i + 1) & mask;
  pairs[i * 2] = hash;
  pairs[i * 2 + 1] = code;
}

/** A copy with room for `least` values, and for half as many again as before. */
function grown<A extends Uint8Array | Uint32Array>(kind: new (length: number) => A, old: A, least: number): A {
  const larger = new kind(Math.max(least, old.length + (old.length >>> 1), FIRST));
  larger.set(old);
  return larger;
}
