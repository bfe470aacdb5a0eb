/** Lists of typed texts as bytes: types, lengths, and the texts themselves, compressed together if that helps. */
import zlib from 'node:zlib';
import type { TextType } from '../../shard-reader.ts';
import { decodeIntegersBriefly, encodeIntegers, integerCount } from './integers.ts';
import { inflateRaw } from './inflate-raw.ts';
import { joinSections, splitSections } from './sections.ts';

/** The number of each type in files and tables. Never change one. */
export const TYPE_CODES: Readonly<Record<TextType, number>> = { string: 0, boolean: 1, object: 2, array: 3, null: 4 };
export const TYPES: readonly TextType[] = ['string', 'boolean', 'object', 'array', 'null'];

/** Texts concatenated: text i is `bytes[ends[i - 1], ends[i])`, its type `types[i]`. */
export interface TextList {
  readonly count: number;
  readonly types: Uint8Array;
  readonly ends: Uint32Array;
  readonly bytes: Uint8Array;
}

/** Bytes of memory: of whole buffers, since a list keeps all of one that it sees a part of. */
export const bytesOfList = ({ types, ends, bytes }: TextList): number =>
  types.buffer.byteLength + ends.buffer.byteLength + bytes.buffer.byteLength;

export function encodeTexts(list: TextList): Uint8Array {
  const lengths = new Uint32Array(list.count);
  for (let i = 0, start = 0; i < list.count; i++) {
    lengths[i] = list.ends[i]! - start;
    start = list.ends[i]!;
  }
  const types = list.types.subarray(0, list.count);
  const plain = types.every((type) => type === 0);
  const text = list.bytes.subarray(0, list.count ? list.ends[list.count - 1]! : 0);
  const deflated = zlib.deflateRawSync(text, { level: 3 });
  const shrunk = deflated.length < text.length;
  return joinSections([
    Uint8Array.of(shrunk ? 1 : 0),
    encodeIntegers(lengths),
    plain ? new Uint8Array(0) : zlib.deflateRawSync(types),
    shrunk ? deflated : text,
  ]);
}

/** Describes a list without decoding it. */
export function describeTexts(encoded: Uint8Array): { readonly count: number; readonly onlyStrings: boolean } {
  const [, packedLengths, packedTypes] = splitSections(encoded);
  return { count: integerCount(packedLengths!), onlyStrings: packedTypes!.length === 0 };
}

/** The size of a list once decoded, however well its texts compress. */
export function bytesOfTexts(encoded: Uint8Array): number {
  const lengths = decodeIntegersBriefly(splitSections(encoded)[1]!);
  let bytes = lengths.length * 5;
  for (let i = 0; i < lengths.length; i++) bytes += lengths[i]!;
  return bytes;
}

export function decodeTexts(encoded: Uint8Array): TextList {
  const [head, packedLengths, packedTypes, text] = splitSections(encoded);
  const lengths = decodeIntegersBriefly(packedLengths!);
  const count = lengths.length;
  const ends = new Uint32Array(count);
  for (let i = 0, end = 0; i < count; i++) ends[i] = end += lengths[i]!;
  const types = packedTypes!.length ? inflateRaw(packedTypes!, count) : new Uint8Array(count);
  const bytes = head![0] === 1 ? inflateRaw(text!, count ? ends[count - 1]! : 0) : new Uint8Array(text!);
  if (types.length !== count || bytes.length !== (count ? ends[count - 1] : 0))
    throw new Error('a list of texts has other lengths than it says');
  return { count, types, ends, bytes };
}

/** The texts [from, until) of a list. */
export function partOf(list: TextList, from: number, until: number): TextList {
  const [start, end] = [endOf(list, from), endOf(list, until)];
  return {
    count: until - from,
    types: list.types.subarray(from, until),
    ends: list.ends.subarray(from, until).map((own) => own - start),
    bytes: list.bytes.subarray(start, end),
  };
}

/** The texts of several lists, one after the other. */
export function joinedTexts(lists: readonly TextList[]): TextList {
  const count = lists.reduce((sum, list) => sum + list.count, 0);
  const length = lists.reduce((sum, list) => sum + endOf(list, list.count), 0);
  const [types, ends, bytes] = [new Uint8Array(count), new Uint32Array(count), new Uint8Array(length)];
  let text = 0;
  let byte = 0;
  for (const list of lists) {
    const own = endOf(list, list.count);
    types.set(list.types.subarray(0, list.count), text);
    bytes.set(list.bytes.subarray(0, own), byte);
    for (let i = 0; i < list.count; i++) ends[text++] = byte + list.ends[i]!;
    byte += own;
  }
  return { count, types, ends, bytes };
}

/** Bytes of the first texts. */
const endOf = ({ ends }: TextList, count: number): number => (count === 0 ? 0 : ends[count - 1]!);
