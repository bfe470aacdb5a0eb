/** Dictionaries as readers see them: lists of texts, with what queries ask most made once. */
import type { Dictionary, TextType } from './column.ts';
import { TYPES, type TextList } from './encoding/texts.ts';

/** A dictionary over one or more lists of texts, which may grow at its end. */
export class TextListDictionary implements Dictionary {
  readonly key: string;
  readonly #lists: { first: number; list: TextList }[] = [];
  #size = 0;
  #bytes = 0;

  constructor(key: string) {
    this.key = key;
  }

  get size(): number {
    return this.#size;
  }

  /** Bytes of memory held. */
  get memory(): number {
    return this.#bytes;
  }

  /** Adds the texts of the codes from `first` on; those that are known already are passed over. */
  append(first: number, list: TextList): void {
    if (first > this.#size + 1) throw new Error(`dictionary ${this.key} lacks codes before ${first}`);
    const last = first + list.count - 1;
    if (last <= this.#size) return;
    // A rewritten chunk holds what the old one held and more: it takes its place.
    while (this.#lists.length > 0 && this.#lists[this.#lists.length - 1]!.first >= first) this.#lists.pop();
    this.#lists.push({ first, list });
    this.#size = last;
    this.#bytes = this.#lists.reduce(
      (sum, { list: { bytes, ends, types } }) => sum + bytes.length + ends.byteLength + types.length,
      0,
    );
  }

  type(code: number): TextType {
    const { first, list } = this.#listOf(code);
    return TYPES[list.types[code - first]!]!;
  }

  text(code: number): string {
    const { first, list } = this.#listOf(code);
    const index = code - first;
    const start = index === 0 ? 0 : list.ends[index - 1]!;
    return Buffer.from(list.bytes.buffer, list.bytes.byteOffset + start, list.ends[index]! - start).toString('utf8');
  }

  /** The code of a string value, or 0. Searches the bytes: no table is kept for what is asked rarely. */
  find(text: string): number {
    const wanted = Buffer.from(text);
    for (const { first, list } of this.#lists) {
      const index = indexOf(list, wanted);
      if (index >= 0) return first + index;
    }
    return 0;
  }

  #listOf(code: number): { first: number; list: TextList } {
    let from = 0;
    for (let until = this.#lists.length; until - from > 1;) {
      const middle = (from + until) >>> 1;
      if (this.#lists[middle]!.first <= code) from = middle;
      else until = middle;
    }
    const found = this.#lists[from];
    if (!found || code < 1 || code > this.#size) throw new RangeError(`dictionary ${this.key} has no code ${code}`);
    return found;
  }
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
