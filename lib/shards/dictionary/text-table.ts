/**
 * Typed texts ↔ codes, for the writer: an open-addressing table over an arena of bytes. JavaScript strings in a Map take five
 * times the memory, and block the thread for long when the Map grows. Codes run from 1 in order of arrival. Append-only.
 */
import type { TextList } from '../segment/encoding/texts.ts';
import { hashBytes } from '../hashing/hash.ts';
import { lowerBound } from '../../base/lower-bound.ts';
import { NO_BYTES } from '../../base/growable.ts';

const FIRST_CODES = 8;
/** Shared by all tables without texts. */
const NO_ENDS = new Uint32Array(1);
const MOST_BYTES = 1 << 30;

export class TextTable {
  readonly #slots = new TextSlots();
  readonly #arena = new TextArena();
  /** null: all are strings. Thousands of projects have a dozen tables each, and an array takes 400 bytes plus its values. */
  #types: Uint8Array | null = null;
  #ends = NO_ENDS; // if all texts were in one array, that of code c would end at ends[c]; ends[0] is 0
  /** Places in the arena by code; null while they are where the texts before them end: in one piece, or full ones. */
  #places: Uint32Array | null = null;
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
    const ofCodes = this.#ends.byteLength + (this.#types?.byteLength ?? 0) + (this.#places?.byteLength ?? 0);
    return this.#slots.memory + ofCodes + this.#arena.memory;
  }

  /** Bytes of text held. */
  get textBytes(): number {
    return this.#ends[this.#size]!;
  }

  /** The code of a text of a type (see TYPE_CODES), or 0. `hash` is hashBytes of the same bytes. */
  find(bytes: Uint8Array, start: number, end: number, hash: number, type = 0): number {
    const key = keyOf(hash, type);
    const pairs = this.#slots.part(key);
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
    return this.#arena.view(this.#place(code), this.#length(code));
  }

  /** The texts of some codes, in stored form. */
  list(codes: Uint32Array): TextList {
    const types = new Uint8Array(codes.length);
    const ends = new Uint32Array(codes.length);
    let length = 0;
    for (let i = 0; i < codes.length; i++) {
      const code = codes[i]!;
      types[i] = this.type(code);
      ends[i] = length += this.#length(code);
    }
    const bytes = new Uint8Array(length);
    for (let from = 0, at = 0, until: number; from < codes.length; from = until) {
      until = this.#endOfRun(codes, from);
      bytes.set(this.#arena.view(this.#place(codes[from]!), ends[until - 1]! - at), at);
      at = ends[until - 1]!;
    }
    return { count: codes.length, types, ends, bytes };
  }

  /** The texts with codes after `code`, in stored form: all of them after 0. */
  listAfter(code: number): TextList {
    return this.range(code + 1, this.#size);
  }

  /** The texts with codes from `first` to `last`, in stored form: like `list`, but much faster. */
  range(first: number, last: number): TextList {
    const count = last - first + 1;
    const before = this.#ends[first - 1]!;
    const ends = this.#ends.slice(first, last + 1);
    for (let i = 0; i < count; i++) ends[i]! -= before;
    const bytes = new Uint8Array(count === 0 ? 0 : ends[count - 1]!);
    for (let code = first, at = 0, next: number; code <= last; code = next) {
      next = this.#endOfPiece(code, last);
      const end = ends[next - 1 - first]!;
      bytes.set(this.#arena.view(this.#place(code), end - at), at);
      at = end;
    }
    return { count, types: this.#types?.slice(first, last + 1) ?? new Uint8Array(count), ends, bytes };
  }

  /** The first code after `code` whose text is in another piece of the arena; after `last` if none up to it is. */
  #endOfPiece(code: number, last: number): number {
    const next = pieceAfter(this.#place(code));
    if (this.#places === null) return lowerBound(this.#ends, next, code - 1, last) + 1;
    return lowerBound(this.#places, next, code, last + 1);
  }

  /** The end of the contiguous texts from codes[from] on, which can be copied together. */
  #endOfRun(codes: Uint32Array, from: number): number {
    let until = from + 1;
    for (; until < codes.length; until++) {
      const code = codes[until]!;
      if (code !== codes[until - 1]! + 1 || !samePiece(this.#place(code - 1), this.#place(code))) break;
    }
    return until;
  }

  #place(code: number): number {
    return this.#places === null ? this.#ends[code - 1]! : this.#places[code]!;
  }

  #length(code: number): number {
    return this.#ends[code]! - this.#ends[code - 1]!;
  }

  #equals(code: number, bytes: Uint8Array, start: number, end: number): boolean {
    const length = end - start;
    if (this.#length(code) !== length) return false;
    const place = this.#place(code);
    const mine = this.#arena.piece(place);
    const from = offsetOf(place);
    for (let i = 0; i < length; i++) if (mine[from + i] !== bytes[start + i]) return false;
    return true;
  }

  /** All arrays grow before anything changes: if one cannot grow, the table stays as it was. */
  #add(bytes: Uint8Array, start: number, end: number, hash: number, type: number): number {
    const code = this.#size + 1;
    const until = this.#ends[this.#size]! + end - start;
    if (until > this.#mostBytes) throw new RangeError(`a table of texts holds more than ${this.#mostBytes} bytes`);
    const key = keyOf(hash, type);
    this.#slots.room(key);
    this.#growCodes(code);
    if (type !== 0) this.#types ??= new Uint8Array(this.#ends.length);
    const place = this.#arena.room(end - start);
    if (place !== this.#ends[code - 1]) this.#places ??= this.#placesSoFar();
    if (this.#places !== null) this.#places[code] = place;
    this.#arena.put(bytes, start, end);
    if (this.#types !== null) this.#types[code] = type;
    this.#ends[code] = until;
    this.#slots.put(key, code);
    this.#size = code;
    return code;
  }

  #growCodes(code: number): void {
    if (code < this.#ends.length) return;
    const length = Math.max(FIRST_CODES, code * 2);
    const types = this.#types && new Uint8Array(length);
    const places = this.#places && grownWords(this.#places, length);
    const ends = grownWords(this.#ends, length);
    types?.set(this.#types!);
    this.#types = types;
    this.#ends = ends;
    this.#places = places;
  }

  /** Places of contiguous texts: each begins where the previous one ends. */
  #placesSoFar(): Uint32Array {
    const places = new Uint32Array(this.#ends.length);
    places.set(this.#ends.subarray(0, this.#size), 1);
    return places;
  }
}

/** The same text with two types gets two slots. */
const keyOf = (hash: number, type: number): number => (hash ^ Math.imul(type, 0x9e3779b9)) >>> 0;

function grownWords(old: Uint32Array, length: number): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(length);
  larger.set(old);
  return larger;
}

const FIRST_SLOTS = 16;
/** Shared by all tables without entries. */
const NO_PAIRS = new Uint32Array(2);
/** Entries from which on there are parts, and bits of the number of parts: the hash's high bits select one. */
const WHOLE = 32_768;
const PART_BITS = 6;

/**
 * Hash → code, by open addressing. A large table is in parts that grow one at a time: rehashing a million entries takes some
 * fifty milliseconds, during which the thread could do nothing else.
 */
class TextSlots {
  /** Pairs of hash and code; code 0: free. */
  #parts: Uint32Array[] = [NO_PAIRS];
  #counts = [0];

  /** Bytes of memory in use. */
  get memory(): number {
    return this.#parts.reduce((sum, { byteLength }) => sum + byteLength, 0);
  }

  /** The pairs to search for a hash, from `hash & (length / 2 - 1)` on, until one is free. */
  part(hash: number): Uint32Array {
    return this.#parts[this.#index(hash)]!;
  }

  /** Makes room for another entry with this hash. */
  room(hash: number): void {
    if (this.#parts.length === 1 && this.#counts[0]! >= WHOLE) this.#divide();
    const index = this.#index(hash);
    const old = this.#parts[index]!;
    if ((this.#counts[index]! + 1) * 4 <= old.length) return;
    const larger = new Uint32Array(Math.max(FIRST_SLOTS, old.length) * 2);
    for (let i = 0; i < old.length; i += 2) if (old[i + 1] !== 0) place(larger, old[i]!, old[i + 1]!);
    this.#parts[index] = larger;
  }

  /** Adds an entry that `room` was made for. */
  put(hash: number, code: number): void {
    const index = this.#index(hash);
    place(this.#parts[index]!, hash, code);
    this.#counts[index]!++;
  }

  #divide(): void {
    const old = this.#parts[0]!;
    const slots = old.length >>> PART_BITS;
    this.#parts = Array.from({ length: 1 << PART_BITS }, () => new Uint32Array(slots));
    this.#counts = Array<number>(1 << PART_BITS).fill(0);
    for (let i = 0; i < old.length; i += 2) {
      if (old[i + 1] === 0) continue;
      this.room(old[i]!);
      this.put(old[i]!, old[i + 1]!);
    }
  }

  #index(hash: number): number {
    return this.#parts.length === 1 ? 0 : hash >>> (32 - PART_BITS);
  }
}

function place(pairs: Uint32Array, hash: number, code: number): void {
  const mask = (pairs.length >>> 1) - 1;
  let i = hash & mask;
  while (pairs[i * 2 + 1] !== 0) i = (i + 1) & mask;
  pairs[i * 2] = hash;
  pairs[i * 2 + 1] = code;
}

const PIECE_BITS = 20;
const PIECE = 1 << PIECE_BITS;
const FIRST_PIECE = 128;
/** From this many bytes on, the runtime's copy is faster. */
const LONG = 64;

/**
 * The bytes of texts, concatenated in pieces: growing the arena never copies more than one piece, so nobody waits while a large
 * one grows.
 */
class TextArena {
  readonly #pieces: Uint8Array[] = [NO_BYTES];
  /** Bytes in use in the last piece. */
  #used = 0;
  #memory = 0;

  /** Bytes of memory in use. */
  get memory(): number {
    return this.#memory;
  }

  /** Makes room for a text of `length` bytes; returns the place where `put` will store it. */
  room(length: number): number {
    const last = this.#pieces.length - 1;
    if (this.#used > 0 && (this.#used + length > PIECE || this.#used === PIECE)) {
      this.#grow(last + 1, Math.max(PIECE, length));
      this.#used = 0;
    } else if (this.#used + length > this.#pieces[last]!.length) {
      const wanted = Math.max(
        this.#used + length,
        Math.min(Math.max(this.#pieces[last]!.length * 2, FIRST_PIECE), PIECE),
      );
      this.#grow(last, wanted);
    }
    return (this.#pieces.length - 1) * PIECE + this.#used;
  }

  /** Adds a text that `room` was made for. */
  put(bytes: Uint8Array, start: number, end: number): void {
    const piece = this.#pieces[this.#pieces.length - 1]!;
    const length = end - start;
    if (length > LONG) piece.set(bytes.subarray(start, end), this.#used);
    else for (let i = 0; i < length; i++) piece[this.#used + i] = bytes[start + i]!;
    this.#used += length;
  }

  /** The piece of a place, instead of a view: creating views would cost more than comparing most texts. */
  piece(place: number): Uint8Array {
    return this.#pieces[place >>> PIECE_BITS]!;
  }

  /** A view, valid until the next text is added. */
  view(place: number, length: number): Uint8Array {
    const at = place & (PIECE - 1);
    return this.piece(place).subarray(at, at + length);
  }

  #grow(piece: number, length: number): void {
    const old = this.#pieces[piece];
    const larger = new Uint8Array(length);
    if (old) larger.set(old);
    this.#pieces[piece] = larger;
    this.#memory += length - (old?.length ?? 0);
  }
}

/** Offset of a place in its piece. */
const offsetOf = (place: number): number => place & (PIECE - 1);

/** The first place of the piece after that of a place. */
const pieceAfter = (place: number): number => ((place >>> PIECE_BITS) + 1) * PIECE;

/** Whether two places are in one piece; within a piece, texts are contiguous. */
const samePiece = (a: number, b: number): boolean => a >>> PIECE_BITS === b >>> PIECE_BITS;
