/**
 * Cuts JSON that would be dropped anyway: whatever is nested too deep, or follows too many members of an event, of an object of
 * properties, or of a property's value. A few kilobytes on the wire can inflate to millions of nested arrays, which take half a
 * second and a gigabyte to parse; an object of 358,000 keys takes as long. Of an event's objects and arrays only so many are kept as
 * take some twenty milliseconds to read.
 */
import { BYTE } from '../../../base/text/byte.ts';
import { skipValue } from '../scan/json-bytes.ts';
import { MAX_DEPTH, MAX_JSON_BYTES } from './limits.ts';

/** Levels that are kept: enough for a value to be dropped for its depth, and for what surrounds it. */
const KEPT = MAX_DEPTH * 2;
/** Members kept per object and per array: with so many different ones, a value is dropped for its size. */
export const MEMBERS = MAX_JSON_BYTES / 4;
const ELEMENTS = MAX_JSON_BYTES;
/** Values of properties. */
const VALUES = 3;
/**
 * What reading an object or array takes, a text or a key, a member, and a comma; of a value as large as may be, at most half of the
 * sum. A short text unlike all others takes JSON.parse long, which looks it up among all that V8 has.
 */
const COST = { bracket: 4, text: 2, colon: 6, comma: 1 };
const MOST_COST = 4 * MAX_JSON_BYTES;
/** Replaces what costs too much: a number too large to be one is dropped and counted. */
const DROPPED = Buffer.from('1e999');
/** Anything shorter is parsed unchanged. Bytes. */
export const SHORT = 64 << 10;
const EMPTY = Buffer.from('[]');

/**
 * The bytes of an event with `[]` in place of whatever is nested too deep, and without excess members; the same bytes if nothing is
 * cut. Once its objects and arrays cost too much, the value of a property in which that happens is dropped, and so are all further
 * ones. Valid JSON stays valid.
 */
export function withoutExcess(bytes: Uint8Array): Uint8Array {
  return bytes.length <= SHORT ? bytes : new Walk(bytes).kept();
}

class Walk {
  readonly #bytes: Uint8Array;
  #pieces: Uint8Array[] = [];
  #at = 0;
  #depth = 0;
  /** Start of the piece being kept. */
  #from = 0;
  /** Level whose excess members are being skipped; 0: none. */
  #cut = 0;
  /** Commas left for each open object and array, by level. */
  readonly #left = new Int32Array(KEPT + 2);
  /** What may still be spent. */
  #cost = MOST_COST;
  /** The last object or array down to the level of values: where it begins, and what was kept until then. */
  readonly #value = { at: 0, from: 0, pieces: 0 };

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  kept(): Uint8Array {
    const bytes = this.#bytes;
    this.#walk();
    if (this.#pieces.length === 0) return bytes;
    // Unterminated input is not JSON, nor are its pieces.
    if (this.#depth <= KEPT && this.#cut === 0) this.#keepUntil(bytes.length);
    return Buffer.concat(this.#pieces);
  }

  #walk(): void {
    for (; this.#at < this.#bytes.length; this.#at++) {
      const byte = this.#bytes[this.#at]!;
      if (byte === BYTE.quote) this.#text();
      else if (byte === BYTE.comma) this.#comma();
      else if (byte === BYTE.colon) this.#spend(COST.colon);
      else if (byte === BYTE.openObject || byte === BYTE.openArray) this.#open(byte);
      else if (byte === BYTE.closeObject || byte === BYTE.closeArray) this.#close();
    }
  }

  #text(): void {
    this.#at = endOfText(this.#bytes, this.#at);
    this.#spend(COST.text);
  }

  #open(byte: number): void {
    this.#depth++;
    if (this.#cut > 0) return;
    if (this.#depth <= VALUES)
      Object.assign(this.#value, { at: this.#at, from: this.#from, pieces: this.#pieces.length });
    if (this.#depth <= KEPT) this.#left[this.#depth] = (byte === BYTE.openObject ? MEMBERS : ELEMENTS) - 1;
    else if (this.#depth === KEPT + 1) this.#keepUntil(this.#at);
    this.#spend(COST.bracket);
  }

  #close(): void {
    if (this.#depth === KEPT + 1 && this.#cut === 0) this.#replaced(EMPTY, this.#at + 1);
    else if (this.#depth === this.#cut) {
      this.#cut = 0;
      this.#from = this.#at;
    }
    this.#depth--;
  }

  #comma(): void {
    if (this.#cut > 0) return;
    if (this.#depth <= KEPT && --this.#left[this.#depth]! < 0) {
      this.#cut = this.#depth;
      this.#keepUntil(this.#at);
    } else this.#spend(COST.comma);
  }

  /** Drops the value being read, or the object or array that begins here, if nothing is left to spend. */
  #spend(cost: number): void {
    if (this.#cut > 0 || this.#depth > KEPT + 1) return; // nothing of it is kept
    this.#cost -= cost;
    const { at, from, pieces } = this.#value;
    if (this.#cost >= 0 || this.#depth === 1 || (this.#depth < VALUES && at < this.#at)) return;
    this.#pieces.splice(pieces);
    this.#from = from;
    this.#keepUntil(at);
    const end = skipValue(this.#bytes, at, this.#bytes.length);
    this.#depth = Math.min(this.#depth, VALUES) - 1;
    if (end >= 0) this.#replaced(DROPPED, end);
    else this.#from = this.#bytes.length;
    this.#at = this.#from - 1;
  }

  #keepUntil(end: number): void {
    this.#pieces.push(this.#bytes.subarray(this.#from, end));
  }

  /** Keeps `by` in place of what ends at `end`. */
  #replaced(by: Uint8Array, end: number): void {
    this.#pieces.push(by);
    this.#from = end;
  }
}

/** Where the text that begins at `at` ends: at its closing quote, or at the end of the bytes. */
function endOfText(bytes: Uint8Array, at: number): number {
  let next = at + 1;
  while (next < bytes.length && bytes[next] !== BYTE.quote) next += bytes[next] === BYTE.backslash ? 2 : 1;
  return next;
}
