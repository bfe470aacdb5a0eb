/**
 * Typed texts and their codes, both ways, for the thread that writes: an open-addressing table over one arena of bytes.
 * Lists of JavaScript strings in a Map take five times the memory and stop the thread for long when they grow.
 * Codes run from 1 in order of arrival. Append-only.
 */
import type { TextList } from './encoding/texts.ts';
import { hashBytes } from './scan/hash.ts';

const FIRST_SLOTS = 32;
const MOST_BYTES = 1 << 30;

export class TextTable {
  #slots = new Uint32Array(FIRST_SLOTS * 2); // (hash, code) pairs; code 0 is free
  #mask = FIRST_SLOTS - 1;
  #types = new Uint8Array(FIRST_SLOTS);
  #ends = new Uint32Array(FIRST_SLOTS); // of code c: ends[c]; ends[0] is 0
  #bytes = new Uint8Array(256);
  #size = 0;
  readonly #mostBytes: number;

  /** @param mostBytes Of text that it may hold. Whoever fills it bounds it far below. */
  constructor(mostBytes = MOST_BYTES) {
    this.#mostBytes = mostBytes;
  }

  /** Codes handed out so far: 1 to `size`. */
  get size(): number {
    return this.#size;
  }

  /** Bytes of memory held. */
  get memory(): number {
    return this.#slots.byteLength + this.#types.byteLength + this.#ends.byteLength + this.#bytes.byteLength;
  }

  /** Bytes of text held. */
  get textBytes(): number {
    return this.#ends[this.#size]!;
  }

  /** The code of a text of a type (see TYPE_CODES), or 0. `hash` is hashBytes of the same bytes. */
  find(bytes: Uint8Array, start: number, end: number, hash: number, type = 0): number {
    const slots = this.#slots;
    const key = keyOf(hash, type);
    for (let i = key & this.#mask; ; i = (i + 1) & this.#mask) {
      const code = slots[i * 2 + 1]!;
      if (code === 0) return 0;
      if (slots[i * 2] === key && this.#types[code] === type && this.#equals(code, bytes, start, end)) return code;
    }
  }

  /** The code of a text of a type, made when it has none. */
  code(bytes: Uint8Array, start: number, end: number, hash: number, type = 0): number {
    const found = this.find(bytes, start, end, hash, type);
    return found || this.#add(bytes, start, end, hash, type);
  }

  /** Takes up texts that were stored, in the order of their codes, from one of them on. */
  load(list: TextList, from = 0): void {
    for (let i = from, start = from === 0 ? 0 : list.ends[from - 1]!; i < list.count; i++) {
      const end = list.ends[i]!;
      this.#add(list.bytes, start, end, hashBytes(list.bytes, start, end), list.types[i]!);
      start = end;
    }
  }

  type(code: number): number {
    return this.#types[code]!;
  }

  /** The bytes of a code's text: a view, good until the next text is added. */
  bytes(code: number): Uint8Array {
    return this.#bytes.subarray(this.#ends[code - 1]!, this.#ends[code]!);
  }

  /** The texts of some codes, as they are stored. Those that follow each other are copied together. */
  list(codes: Uint32Array): TextList {
    const types = new Uint8Array(codes.length);
    const ends = new Uint32Array(codes.length);
    let length = 0;
    for (let i = 0; i < codes.length; i++) {
      const code = codes[i]!;
      types[i] = this.#types[code]!;
      ends[i] = length += this.#ends[code]! - this.#ends[code - 1]!;
    }
    const bytes = new Uint8Array(length);
    for (let from = 0, at = 0, until: number; from < codes.length; from = until) {
      for (until = from + 1; until < codes.length && codes[until] === codes[until - 1]! + 1;) until++;
      bytes.set(this.#bytes.subarray(this.#ends[codes[from]! - 1]!, this.#ends[codes[until - 1]!]!), at);
      at = ends[until - 1]!;
    }
    return { count: codes.length, types, ends, bytes };
  }

  /** All texts: views, good until the next is added. */
  whole(): TextList {
    const count = this.#size;
    return {
      count,
      types: this.#types.subarray(1, count + 1),
      ends: this.#ends.subarray(1, count + 1),
      bytes: this.#bytes.subarray(0, this.textBytes),
    };
  }

  #equals(code: number, bytes: Uint8Array, start: number, end: number): boolean {
    const from = this.#ends[code - 1]!;
    const length = end - start;
    if (this.#ends[code]! - from !== length) return false;
    const mine = this.#bytes;
    for (let i = 0; i < length; i++) if (mine[from + i] !== bytes[start + i]) return false;
    return true;
  }

  /** Every array grows before anything is changed: when there is no room for one, the table is as it was. */
  #add(bytes: Uint8Array, start: number, end: number, hash: number, type: number): number {
    const code = this.#size + 1;
    const from = this.#ends[this.#size]!;
    const until = from + end - start;
    if (until > this.#mostBytes) throw new RangeError(`a table of texts holds more than ${this.#mostBytes} bytes`);
    if (until > this.#bytes.length)
      this.#bytes = grownBytes(this.#bytes, Math.min(Math.max(until, this.#bytes.length * 1.5), this.#mostBytes));
    if (code >= this.#ends.length) {
      const [types, ends] = [grownBytes(this.#types, code * 2), grownWords(this.#ends, code * 2)];
      this.#types = types;
      this.#ends = ends;
    }
    if (code * 2 > this.#mask) this.#growSlots();
    for (let i = start, at = from; i < end; i++, at++) this.#bytes[at] = bytes[i]!;
    this.#types[code] = type;
    this.#ends[code] = until;
    this.#place(keyOf(hash, type), code);
    this.#size = code;
    return code;
  }

  #place(key: number, code: number): void {
    let i = key & this.#mask;
    while (this.#slots[i * 2 + 1] !== 0) i = (i + 1) & this.#mask;
    this.#slots[i * 2] = key;
    this.#slots[i * 2 + 1] = code;
  }

  #growSlots(): void {
    const old = this.#slots;
    this.#slots = new Uint32Array(old.length * 2);
    this.#mask = this.#mask * 2 + 1;
    for (let i = 0; i < old.length; i += 2) if (old[i + 1] !== 0) this.#place(old[i]!, old[i + 1]!);
  }
}

/** The same text of two types has two places. */
const keyOf = (hash: number, type: number): number => (hash ^ Math.imul(type, 0x9e3779b9)) >>> 0;

function grownBytes(old: Uint8Array, length: number): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(Math.ceil(length));
  larger.set(old);
  return larger;
}

function grownWords(old: Uint32Array, length: number): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(length);
  larger.set(old);
  return larger;
}
