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
import { memoryAt, isInMemory, primitives, take, wordsAt } from '../../../primitives/memory.ts';
import { hashBytes, SECRET, SEED } from '../../hashing/hash.ts';
import {
  CLIENT_ORIGINATED_AT,
  FALSE,
  fieldOfKey,
  IDS_IGNORED_AT,
  INSERT_TEXT,
  type KnownField,
  NULL,
  ORIGIN_SERVER_AT,
  type ScannedEvent,
  TRUE,
} from './scanned-event.ts';
import { MAX_TEXT } from '../normalise/limits.ts';

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

primitives.setUpShapes(SEED, SECRET);

export class Shapes {
  readonly #window = take(WINDOW + READ_BEHIND);
  readonly #copy = memoryAt(this.#window, WINDOW);
  readonly #steps = take(MOST_STEPS * STEP * 4);
  readonly #words = wordsAt(this.#steps, MOST_STEPS * STEP);
  readonly #literals = take(LITERALS);
  readonly #literalBytes = memoryAt(this.#literals, LITERALS);
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
    this.#words.fill(0); // others may have used this memory before
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

/** What follows a literal, by the numbers of lib/primitives/wasm/shapes.ts. */
const KINDS = ['end', 'text', 'id', 'insertId', 'time', 'timeNumber', 'propertyText', 'propertyNumber', 'propertyWord', 'add'] as const; // prettier-ignore

interface Follows {
  readonly kind: (typeof KINDS)[number];
  /** For a text, where it goes in the record; for a word, its kind; for an addition, the place of its counter. */
  readonly argument?: number;
  /** For a text, its most bytes; for a word, its length. */
  readonly limit?: number;
}

/** Bytes [start, end). */
interface Literal {
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
}

/** The key of the value after a literal. */
interface Key {
  readonly start: number;
  readonly end: number;
  /** 0: an event property; 1: a user property; null: a field of the event. */
  readonly space: 0 | 1 | null;
}

/** Returns the child of a step for a literal; -1 if there is no room for it. */
type AddStep = (parent: number, literal: Literal, key: Key | null, follows: Follows) => number;

const OPEN = 0x7b;
const CLOSE = 0x7d;
const QUOTE = 0x22;

/** Walks an event known to be ordinary: its values are plain texts, numbers and words, in one or two levels of objects. */
class ShapeLearner {
  readonly #bytes: Uint8Array;
  readonly #add: AddStep;
  #parent = 0;
  #literal = 0;
  /** The object being walked; null is the event. */
  #space: 0 | 1 | null = null;

  constructor(bytes: Uint8Array, add: AddStep) {
    this.#bytes = bytes;
    this.#add = add;
  }

  walk(start: number): void {
    this.#literal = start;
    for (let at = start + 1; this.#parent >= 0;) {
      const byte = this.#bytes[at]!;
      if (byte === 0x0a) return; // NDJSON lines never contain it, batches seldom
      if (byte === QUOTE) at = this.#member(at + 1);
      else if (byte !== CLOSE) at++;
      else if (this.#space !== null) {
        this.#space = null;
        at++;
      } else {
        this.#append(at + 1, null, { kind: 'end' });
        return;
      }
    }
  }

  /** Reads the member whose key begins at `start`; returns the offset after its value, or inside it if that is an object. */
  #member(start: number): number {
    const bytes = this.#bytes;
    const end = bytes.indexOf(QUOTE, start);
    const key = { start, end, space: this.#space };
    let at = end + 1;
    while (bytes[at]! <= 0x20 || bytes[at] === 0x3a) if (bytes[at++] === 0x0a) return at - 1;
    const field = this.#space === null ? fieldOfKey(bytes, start, end, hashBytes(bytes, start, end)) : null;
    const first = bytes[at]!;
    if (first === OPEN) {
      this.#space = field?.role === 'user_properties' ? 1 : 0;
      return at + 1;
    }
    if (first === QUOTE) return this.#text(at + 1, key, field);
    if (first === 0x74 || first === 0x66 || first === 0x6e) return this.#word(at, key, field);
    this.#append(at, key, { kind: this.#space === null ? 'timeNumber' : 'propertyNumber' });
    while ((bytes[at]! >= 0x30 && bytes[at]! <= 0x39) || bytes[at] === 0x2d || bytes[at] === 0x2e) at++;
    this.#literal = at;
    return at;
  }

  #text(at: number, key: Key, field: KnownField | null): number {
    const end = this.#bytes.indexOf(QUOTE, at);
    if (field?.role === 'origin') {
      this.#append(end + 1, key, { kind: 'add', argument: ORIGIN_SERVER_AT });
      return end + 1;
    }
    this.#append(at, key, textStep(field, key.space));
    this.#literal = end;
    return end + 1;
  }

  #word(at: number, key: Key, field: KnownField | null): number {
    const first = this.#bytes[at];
    const length = first === 0x66 ? 5 : 4;
    if (this.#space !== null) {
      const argument = first === 0x74 ? TRUE : first === 0x66 ? FALSE : NULL;
      this.#append(at + length, key, { kind: 'propertyWord', argument, limit: length });
    } else if (field?.role === 'id') this.#append(at + length, key, { kind: 'add', argument: IDS_IGNORED_AT });
    else if (field?.role === 'clientOriginated')
      this.#append(at + length, key, { kind: 'add', argument: CLIENT_ORIGINATED_AT });
    return at + length;
  }

  /** Adds a step for the literal up to `end`, where the next literal begins. */
  #append(end: number, key: Key | null, follows: Follows): void {
    if (this.#parent >= 0)
      this.#parent = this.#add(this.#parent, { bytes: this.#bytes, start: this.#literal, end }, key, follows);
    this.#literal = end;
  }
}

function textStep(field: KnownField | null, space: Key['space']): Follows {
  if (space !== null) return { kind: 'propertyText', limit: MAX_TEXT };
  if (field === null) throw new Error('an ordinary event has no unknown field');
  if (field.role === 'time') return { kind: 'time' };
  const kind = field.text === INSERT_TEXT ? 'insertId' : field.role === 'id' ? 'id' : 'text';
  return { kind, argument: field.text * 4, limit: field.limit };
}
