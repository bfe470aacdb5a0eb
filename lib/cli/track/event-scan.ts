/**
 * Finds in the bytes of a line that it is an event, without making objects of it: JSON.parse, with the garbage that it leaves, takes
 * most of the time that a large file needs. Knows ordinary lines only; what else a line holds is for JSON.parse to decide.
 */
import { isUtf8 } from 'node:buffer';
import { isNothing, LONGEST_NOTHING } from './insert-id.ts';
import type { LineBytes } from './lines.ts';

const MAX_DEPTH = 64; // levels
const [QUOTE, BACKSLASH, COMMA, COLON, MINUS, PLUS, POINT, ZERO, NINE] = Buffer.from('"\\,:-+.09');
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_ARRAY, CLOSE_ARRAY] = Buffer.from('{}[]');
const [SPACE, TAB, RETURN, SMALL_E, LARGE_E] = Buffer.from(' \t\reE');
const WORDS = ['true', 'false', 'null'].map((word) => Buffer.from(word));
const TYPE = Buffer.from('event_type"');
const INSERT_ID = Buffer.from('insert_id"');
/** Those after a backslash; `\u` is not ordinary, as it may spell the name of a field. */
const ESCAPED = Buffer.from('"\\/bfnrt');

export class EventScan {
  #bytes: Buffer = Buffer.alloc(0);
  #isAscii = true;
  #hasType = false;
  #ids = 0;
  #hasId = false;
  #brace = 0;

  /** Whether the line is an ordinary event: a JSON object with an `event_type`. Only then the next two mean something. */
  isEvent({ bytes, from, to }: LineBytes): boolean {
    this.#bytes = bytes;
    this.#isAscii = true;
    this.#hasType = this.#hasId = false;
    this.#ids = 0;
    const start = this.#pastSpace(from);
    const end = bytes[start] === OPEN_OBJECT ? this.#members(start + 1, 1) : -1;
    this.#brace = end - 1;
    if (end === -1 || this.#pastSpace(end) < to) return false;
    return this.#hasType && this.#ids < 2 && (this.#isAscii || isUtf8(bytes.subarray(from, to)));
  }

  /** Whether it has an insert id of its own. */
  get hasId(): boolean {
    return this.#hasId;
  }

  /** Offset of its closing brace. */
  get brace(): number {
    return this.#brace;
  }

  // Each of the following takes the offset where something begins, and returns the one after it; -1 if it is not ordinary. None
  // reads beyond the line: no line feed is part of anything.

  #value(at: number, depth: number): number {
    const byte = this.#bytes[at];
    if (byte === QUOTE) return this.#text(at + 1);
    if (byte === OPEN_OBJECT) return depth < MAX_DEPTH ? this.#members(at + 1, depth + 1) : -1;
    if (byte === OPEN_ARRAY) return depth < MAX_DEPTH ? this.#items(at + 1, depth + 1) : -1;
    if (byte === MINUS || isDigit(byte)) return this.#number(at);
    const word = WORDS.find((one) => this.#holds(one, at));
    return word === undefined ? -1 : at + word.length;
  }

  #members(from: number, depth: number): number {
    const bytes = this.#bytes;
    let at = this.#pastSpace(from);
    if (bytes[at] === CLOSE_OBJECT) return at + 1;
    for (;;) {
      const nameEnd = bytes[at] === QUOTE ? this.#text(at + 1) : -1;
      const colon = nameEnd === -1 ? -1 : this.#pastSpace(nameEnd);
      if (bytes[colon] !== COLON) return -1;
      const value = this.#pastSpace(colon + 1);
      const end = this.#value(value, depth);
      if (end === -1) return -1;
      if (depth === 1) this.#note(at + 1, value, end);
      at = this.#pastSpace(end);
      if (bytes[at] === CLOSE_OBJECT) return at + 1;
      if (bytes[at] !== COMMA) return -1;
      at = this.#pastSpace(at + 1);
    }
  }

  #items(from: number, depth: number): number {
    const bytes = this.#bytes;
    let at = this.#pastSpace(from);
    if (bytes[at] === CLOSE_ARRAY) return at + 1;
    for (;;) {
      const end = this.#value(at, depth);
      if (end === -1) return -1;
      at = this.#pastSpace(end);
      if (bytes[at] === CLOSE_ARRAY) return at + 1;
      if (bytes[at] !== COMMA) return -1;
      at = this.#pastSpace(at + 1);
    }
  }

  #text(from: number): number {
    const bytes = this.#bytes;
    for (let at = from; at < bytes.length; at += 1) {
      const byte = bytes[at]!;
      if (byte === QUOTE) return at + 1;
      if (byte === BACKSLASH) {
        at += 1;
        if (at === bytes.length || !ESCAPED.includes(bytes[at]!)) return -1;
      } else if (byte < 0x20) return -1;
      else if (byte > 0x7f) this.#isAscii = false;
    }
    return -1;
  }

  #number(from: number): number {
    const bytes = this.#bytes;
    const whole = bytes[from] === MINUS ? from + 1 : from;
    let at = this.#digits(whole);
    if (bytes[whole] === ZERO && at > whole + 1) return -1;
    if (bytes[at] === POINT) at = this.#digits(at + 1);
    if (bytes[at] !== SMALL_E && bytes[at] !== LARGE_E) return at;
    const sign = bytes[at + 1];
    return this.#digits(sign === PLUS || sign === MINUS ? at + 2 : at + 1);
  }

  #digits(from: number): number {
    let at = from;
    while (isDigit(this.#bytes[at])) at += 1;
    return at === from ? -1 : at;
  }

  #pastSpace(from: number): number {
    const bytes = this.#bytes;
    let at = from;
    for (; at < bytes.length; at += 1) {
      const byte = bytes[at];
      if (byte !== SPACE && byte !== TAB && byte !== RETURN) break;
    }
    return at;
  }

  #holds(word: Buffer, at: number): boolean {
    for (let i = 0; i < word.length; i += 1) if (this.#bytes[at + i] !== word[i]) return false;
    return true;
  }

  /** A member of the event itself. */
  #note(name: number, value: number, end: number): void {
    if (this.#holds(TYPE, name)) this.#hasType = true;
    if (!this.#holds(INSERT_ID, name)) return;
    const quotes = this.#bytes[value] === QUOTE ? 1 : 0;
    const [from, to] = [value + quotes, end - quotes];
    this.#hasId = to - from > LONGEST_NOTHING || !isNothing(this.#bytes.toString('latin1', from, to));
    this.#ids += 1;
  }
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= ZERO! && byte <= NINE!;
}
