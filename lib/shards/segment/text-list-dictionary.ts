/** The dictionary of one segment's field, for readers: a list of texts, decoded when one is first needed. */
import { lowerBound } from '../../base/lower-bound.ts';
import type { Dictionary, TextType } from '../shard-reader.ts';
import { decodeTexts, describeTexts, TYPES, type TextList } from './encoding/texts.ts';

export class TextListDictionary implements Dictionary {
  readonly key: string;
  readonly size: number;
  readonly onlyStrings: boolean;
  #encoded: Uint8Array | null;
  #list: TextList | null = null;

  /** @param encoded From `encodeTexts`. Many queries only count codes, so it is decoded only when a text is needed. */
  constructor(key: string, encoded: Uint8Array) {
    this.key = key;
    const { count, onlyStrings } = describeTexts(encoded);
    this.size = count;
    this.onlyStrings = onlyStrings;
    this.#encoded = new Uint8Array(encoded); // a view would keep the whole column, or all columns of a small shard
  }

  type(code: number): TextType {
    return TYPES[this.#decoded(code).types[code - 1]!]!;
  }

  text(code: number): string {
    return textAt(this.#decoded(code), code - 1);
  }

  /** The code of a string value, or 0. Searches the bytes: a table would be used too rarely. */
  find(text: string): number {
    return this.size === 0 ? 0 : indexOfText(this.#decoded(1), Buffer.from(text)) + 1;
  }

  compare(a: number, b: number): number {
    return textBytesAt(this.#decoded(a), a - 1).compare(textBytesAt(this.#decoded(b), b - 1));
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

/** The text at an index, from 0. */
export function textAt(list: TextList, index: number): string {
  const { bytes, ends } = list;
  let view = views.get(bytes);
  if (view === undefined) views.set(bytes, (view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)));
  return view.toString('utf8', index === 0 ? 0 : ends[index - 1]!, ends[index]!);
}

/** The bytes of lists as buffers: making one for each text takes longer than making the text. */
const views = new WeakMap<Uint8Array, Buffer>();

/** Its bytes, which sort like its code points. */
export function textBytesAt({ bytes, ends }: TextList, index: number): Buffer {
  const start = index === 0 ? 0 : ends[index - 1]!;
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, ends[index]! - start);
}

/** The index of a string in a list; -1 if it is not there. */
export function indexOfText(list: TextList, wanted: Buffer): number {
  if (wanted.length === 0) return emptyString(list);
  const bytes = Buffer.from(list.bytes.buffer, list.bytes.byteOffset, list.bytes.length);
  for (let at = bytes.indexOf(wanted); at >= 0; at = bytes.indexOf(wanted, at + 1)) {
    const index = lowerBound(list.ends, at + 1, 0, list.count);
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
