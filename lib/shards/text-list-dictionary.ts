/** Dictionaries as readers see them: lists of texts, with what queries ask most made once. */
import type { Dictionary, TextType } from './column.ts';
import { decodeTexts, describeTexts, TYPES, type TextList } from './encoding/texts.ts';

/** Texts of the codes from `first` on: decoded when one of them is asked for. Many queries only count codes. */
interface Chunk {
  readonly first: number;
  readonly onlyStrings: boolean;
  encoded: Uint8Array | null;
  list: TextList | null;
}

/** A dictionary over one or more lists of texts, which may grow at its end. */
export class TextListDictionary implements Dictionary {
  readonly key: string;
  readonly #chunks: Chunk[] = [];
  #size = 0;

  constructor(key: string) {
    this.key = key;
  }

  get size(): number {
    return this.#size;
  }

  get onlyStrings(): boolean {
    return this.#chunks.every((chunk) => chunk.onlyStrings);
  }

  /** Adds the texts of the codes from `first` on, as `encodeTexts` made them; those that are known already are passed over. */
  append(first: number, encoded: Uint8Array): void {
    if (first > this.#size + 1) throw new Error(`dictionary ${this.key} lacks codes before ${first}`);
    const { count, onlyStrings } = describeTexts(encoded);
    const last = first + count - 1;
    if (last <= this.#size) return;
    // A rewritten chunk holds what the old one held and more: it takes its place.
    while (this.#chunks.length > 0 && this.#chunks[this.#chunks.length - 1]!.first >= first) this.#chunks.pop();
    this.#chunks.push({ first, onlyStrings, encoded, list: null });
    this.#size = last;
  }

  type(code: number): TextType {
    const { first, list } = this.#at(code);
    return TYPES[list.types[code - first]!]!;
  }

  text(code: number): string {
    const { first, list } = this.#at(code);
    const index = code - first;
    const start = index === 0 ? 0 : list.ends[index - 1]!;
    return Buffer.from(list.bytes.buffer, list.bytes.byteOffset + start, list.ends[index]! - start).toString('utf8');
  }

  /** The code of a string value, or 0. Searches the bytes: no table is kept for what is asked rarely. */
  find(text: string): number {
    const wanted = Buffer.from(text);
    for (const chunk of this.#chunks) {
      const index = indexOf(listOf(chunk), wanted);
      if (index >= 0) return chunk.first + index;
    }
    return 0;
  }

  #at(code: number): { first: number; list: TextList } {
    let from = 0;
    for (let until = this.#chunks.length; until - from > 1;) {
      const middle = (from + until) >>> 1;
      if (this.#chunks[middle]!.first <= code) from = middle;
      else until = middle;
    }
    const found = this.#chunks[from];
    if (!found || code < 1 || code > this.#size) throw new RangeError(`dictionary ${this.key} has no code ${code}`);
    return { first: found.first, list: listOf(found) };
  }
}

function listOf(chunk: Chunk): TextList {
  if (chunk.list !== null) return chunk.list;
  chunk.list = decodeTexts(chunk.encoded!);
  chunk.encoded = null;
  return chunk.list;
}

/** The place of a string in a list, -1 when it is not there. */
function indexOf(list: TextList, wanted: Buffer): number {
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
