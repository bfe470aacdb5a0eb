/**
 * The shapes of events: a sender's events are spelled alike except for the values. The texts between the values of each scanned
 * event are kept as a tree, and a primitive walks it along the bytes of the next event: keys are compared instead of parsed, and
 * what all events of a shape share was checked once. An event that leaves the tree is scanned, and joins it.
 *
 * A literal ends where a value begins (after the quote of a text), or after a word whose meaning its key decides; the next begins
 * where the value ends (with the quote). At any point of the tree at most one literal can match: two that begin alike differ in
 * the first byte of the value.
 */
import { threshold } from '../../../base/threshold.ts';
import { bytesAt, isInMemory, primitives, take, wordsAt } from '../../../primitives/memory.ts';
import { hashBytes, SECRET, SEED } from '../../hashing/hash.ts';
import type { ScannedEvent } from './scanned-event.ts';
import { KINDS, ShapeLearner, type Follows, type Key, type Literal } from './shape-learner.ts';

/** Words per step (the same as in lib/primitives/wasm/shapes.ts). */
const STEP = 12;
const NEXT = 0;
const CHILD = 1;
const MOST_STEPS = 2_048;
/** Per parent: each is tried in turn. */
const MOST_CHILDREN = 32;
/** Bytes of literals, each followed by room for what is read past its end. */
const LITERALS = 128 << 10;
const READ_BEHIND = 16;
/**
 * Bytes copied at a time, of a body that is not in the memory of primitives; and the distance from their end within which no event
 * begins, as it may be longer.
 */
const WINDOW = 64 << 10;
const NEAR = 4 << 10;
/** One of so many events is learned; MOST_CREDIT bounds how many are saved up. */
const LEARNING = threshold('events by which one is learned', 61);

const MOST_CREDIT = 4_096;

/** Property texts whose codes are kept, 48 bytes each: a power of two. */
const CODES = 8_192;
const CODE_BYTES = 48;

const codes = take(CODES * CODE_BYTES);
bytesAt(codes, CODES * CODE_BYTES).fill(0); // others may have used this memory before
primitives.setUpShapes(SEED, SECRET, codes, CODES);

export class Shapes {
  readonly #window = take(WINDOW + READ_BEHIND);
  readonly #copy = bytesAt(this.#window, WINDOW);
  readonly #steps = take(MOST_STEPS * STEP * 4);
  readonly #words = wordsAt(this.#steps, MOST_STEPS * STEP);
  readonly #literals = take(LITERALS);
  readonly #literalBytes = bytesAt(this.#literals, LITERALS);
  /** Steps by parent, literal and kind. */
  readonly #known = new Map<string, number>();
  readonly #columns = new Map<string, number>();
  #lastColumn = 0;
  #count = 1;
  #used = 0;
  /** There was no room for a step: the tree is cleared before the next event is learned. */
  #full = false;
  #credit = MOST_CREDIT;
  /** Bytes [from, to) of these are in the memory of primitives, where the first would be at `base`. */
  #bytes: Uint8Array | null = null;
  #base = 0;
  #from = 0;
  #to = 0;

  constructor() {
    this.#words.fill(0); // as above
  }

  /** Reads from these bytes from now on. */
  use(bytes: Uint8Array): void {
    this.#bytes = bytes;
    const isHere = isInMemory(bytes); // then all of it is in the window
    this.#from = 0;
    this.#to = isHere ? bytes.length : 0;
    this.#base = isHere ? bytes.byteOffset : 0;
  }

  /** Reads the event at `at`, which ends at or before `end`; returns the offset after it, or -1. */
  scan(at: number, end: number, out: ScannedEvent): number {
    if (at < this.#from || (this.#to - at < NEAR && this.#to < end)) this.#move(at);
    const base = this.#base;
    const after = primitives.scanShape(this.#steps, base + at, base + Math.min(end, this.#to), base, out.record);
    if (after === 0) return -1;
    if (this.#credit < MOST_CREDIT) this.#credit++;
    out.takeRecord(at, (after - base) | 0); // addresses from 2 GiB on are told as negative
    return out.end;
  }

  /** Learns the shape of an ordinary event that the tree did not match. */
  learn(bytes: Uint8Array, { start }: ScannedEvent): void {
    if (this.#credit++ < LEARNING.value) return;
    this.#credit -= LEARNING.value;
    if (this.#full) this.#forget();
    new ShapeLearner(bytes, (...step) => this.#step(...step)).walk(start);
  }

  #move(at: number): void {
    const bytes = this.#bytes!.subarray(at, at + WINDOW);
    this.#copy.set(bytes);
    this.#from = at;
    this.#base = this.#window - at;
    this.#to = at + bytes.length;
  }

  #forget(): void {
    this.#known.clear();
    this.#columns.clear();
    this.#full = false;
    this.#words.fill(0);
    this.#count = 1;
    this.#used = 0;
  }

  /** The child of a step for a literal, added if missing; -1 if there is no room for it. */
  #step(parent: number, { bytes, start, end }: Literal, key: Key | null, follows: Follows): number {
    const name = `${parent} ${follows.kind} ${Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('latin1')}`;
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const length = end - start;
    const link = this.#lastLink(parent);
    this.#full = link < 0 || this.#count === MOST_STEPS || this.#used + length + READ_BEHIND > LITERALS;
    if (this.#full) return -1;
    const step = this.#count++;
    this.#literalBytes.set(bytes.subarray(start, end), this.#used);
    const { kind, argument = 0, limit = 0 } = follows;
    const [keyStart, keyEnd, hash] = key === null ? [0, 0, 0] : [key.start - start, key.end - start, hashBytes(bytes, key.start, key.end)]; // prettier-ignore
    const space = key?.space ?? null;
    const column = key === null || space === null ? 0 : this.#column(`${space}${name.slice(keyStart - length, keyEnd - length)}`); // prettier-ignore
    const words = [0, 0, this.#literals + this.#used, length, KINDS.indexOf(kind), argument, limit, keyStart, keyEnd, hash, column, space ?? 0]; // prettier-ignore
    this.#words.set(words, step * STEP);
    this.#words[link] = this.#steps + step * STEP * 4;
    this.#used += length + READ_BEHIND;
    this.#known.set(name, step);
    return step;
  }

  /** Where to write the address of another child; -1 if the parent is full. */
  #lastLink(parent: number): number {
    let link = parent * STEP + CHILD;
    for (let children = 0; this.#words[link] !== 0; children++) {
      if (children === MOST_CHILDREN) return -1;
      link = (this.#words[link]! - this.#steps) / 4 + NEXT;
    }
    return link;
  }

  /** The number of a key. Numbers are never reused, since users of them may outlive this tree. */
  #column(key: string): number {
    const known = this.#columns.get(key);
    if (known === undefined) this.#columns.set(key, ++this.#lastColumn);
    return known ?? this.#lastColumn;
  }
}
