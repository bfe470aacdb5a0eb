/** Walks an event to find its shape: the literals between its values, and what follows each. */
import { hashBytes } from '../../hashing/hash.ts';
import { MAX_TEXT } from '../normalise/limits.ts';
import { fieldOfKey, type KnownField } from './known-fields.ts';
import {
  CLIENT_ORIGINATED_AT,
  FALSE,
  IDS_IGNORED_AT,
  INSERT_ID,
  NULL,
  ORIGIN_SERVER_AT,
  TRUE,
} from './scanned-event.ts';

/** What follows a literal, by the numbers of lib/primitives/wasm/shapes.ts. */
export const KINDS = ['end', 'text', 'id', 'insertId', 'time', 'timeNumber', 'propertyText', 'propertyNumber', 'propertyWord', 'add', 'skippedText', 'skippedNumber'] as const; // prettier-ignore

export interface Follows {
  readonly kind: (typeof KINDS)[number];
  /** For a text, where it goes in the record; for a word, its kind; for an addition, the place of its counter. */
  readonly argument?: number;
  /** For a text, its most bytes; for a word, its length. */
  readonly limit?: number;
}

/** Bytes [start, end). */
export interface Literal {
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
}

/** The key of the value after a literal. */
export interface Key {
  readonly start: number;
  readonly end: number;
  /** 0: an event property; 1: a user property; null: a field of the event. */
  readonly space: 0 | 1 | null;
}

/** Returns the child of a step for a literal; -1 if there is no room for it. */
export type AddStep = (parent: number, literal: Literal, key: Key | null, follows: Follows) => number;

const OPEN = 0x7b;
const CLOSE = 0x7d;
const QUOTE = 0x22;

/** Walks an event known to be ordinary: its values are plain texts, numbers and words, in one or two levels of objects. */
export class ShapeLearner {
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
    this.#append(at, key, { kind: field !== null ? 'timeNumber' : this.#space !== null ? 'propertyNumber' : 'skippedNumber' }); // prettier-ignore
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
  if (field === null) return { kind: 'skippedText' };
  if (field.role === 'time') return { kind: 'time' };
  const kind = field.text === INSERT_ID ? 'insertId' : field.role === 'id' ? 'id' : 'text';
  return { kind, argument: field.text * 4, limit: field.limit };
}
