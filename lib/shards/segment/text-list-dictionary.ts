/** The dictionary of one segment's field as readers see it: a list of texts, decoded when one of them is asked for. */
import type { Dictionary, TextType } from '../shard-reader.ts';
import { decodeTexts, describeTexts, TYPES, type TextList } from './encoding/texts.ts';

export class TextListDictionary implements Dictionary {
  readonly key: string;
  readonly size: number;
  readonly onlyStrings: boolean;
  #encoded: Uint8Array | null;
  #list: TextList | null = null;

  /** @param encoded As `encodeTexts` made it. Many queries only count codes: it is left so until a text is wanted. */
  constructor(key: string, encoded: Uint8Array) {
    this.key = key;
    const { count, onlyStrings } = describeTexts(encoded);
    this.size = count;
    this.onlyStrings = onlyStrings;
    this.#encoded = encoded;
  }

  type(code: number): TextType {
    return TYPES[this.#decoded(code).types[code - 1]!]!;
  }

  text(code: number): string {
    return textAt(this.#decoded(code), code - 1);
  }

  /** The code of a string value, or 0. Searches the bytes: no table is kept for what is asked rarely. */
  find(text: string): number {
    return this.size === 0 ? 0 : indexOfText(this.#decoded(1), Buffer.from(text)) + 1;
  }

  compare(a: number, b: number): number {
    return bytesAt(this.#decoded(a), a - 1).compare(bytesAt(this.#decoded(b), b - 1));
  }

  #decoded(code: number): TextList {
    if (code < 1 || code > this.size) throw new RangeError(`dictionary ${this.key} has no code ${code}`);
    if (this.#list === null) {
      this.#list = decodeTexts(this.#encoded!);
      this.#encoded = null;
    }
    return this.#list;
  }
}

/** The nth text of a list, from 0. */
export function textAt(list: TextList, index: number): string {
  return bytesAt(list, index).toString('utf8');
}

/** Its bytes, which sort as its code points do. */
export function bytesAt({ bytes, ends }: TextList, index: number): Buffer {
  const start = index === 0 ? 0 : ends[index - 1]!;
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, ends[index]! - start);
}

/** The place of a string in a list, -1 when it is not there. */
export function indexOfText(list: TextList, wanted: Buffer): number {
  if (wanted.length === 0) return emptyString(list);
  const bytes = Buffer.from(list.bytes.buffer, list.bytes.byteOffset, list.bytes.length);
  for (let at = bytes.indexOf(wanted); at >= 0; at = bytes.indexOf(wanted, at + 1)) {
    const index = lowerBound(list.ends, list.count, at + 1);
    const start = index === 0 ? 0 : list.ends[index - 1]!;
    if (start === at && list.ends[index] === at + wanted.length && list.types[index] === 0) return index;
  }
  return -1;
}

function emptyString(list: TextList): number {
  for (let i = 0; i < list.count; i++) {
    if (list.types[i] === 0 && list.ends[i] === (i === 0 ? 0 : list.ends[i - 1]!)) return i;
  }
  return -1;
}

/** The first index whose end is at or after `end`. */
function lowerBound(ends: Uint32Array, count: number, end: number): number {
  let from = 0;
  for (let until = count; from < until;) {
    const middle = (from + until) >>> 1;
    if (ends[middle]! < end) from = middle + 1;
    else until = middle;
  }
  return from;
}
