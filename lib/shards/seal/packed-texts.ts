import type { TextList } from '../segment/encoding/texts.ts';

/** Several lists concatenated, so that few arrays are passed between threads however many lists there are. */
export interface PackedTexts {
  /** Number of texts of each list. */
  readonly counts: Uint32Array;
  readonly types: Uint8Array;
  /** Relative to the list. */
  readonly ends: Uint32Array;
  readonly bytes: Uint8Array;
}

export function packTexts(lists: readonly TextList[]): PackedTexts {
  const count = lists.reduce((sum, list) => sum + list.count, 0);
  const length = lists.reduce((sum, list) => sum + lengthOf(list), 0);
  const packed = {
    counts: Uint32Array.from(lists, (list) => list.count),
    types: new Uint8Array(count),
    ends: new Uint32Array(count),
    bytes: new Uint8Array(length),
  };
  let text = 0;
  let byte = 0;
  for (const list of lists) {
    packed.types.set(list.types.subarray(0, list.count), text);
    packed.ends.set(list.ends.subarray(0, list.count), text);
    packed.bytes.set(list.bytes.subarray(0, lengthOf(list)), byte);
    text += list.count;
    byte += lengthOf(list);
  }
  return packed;
}

/** The lists, as views. */
export function* unpackTexts({ counts, types, ends, bytes }: PackedTexts): Generator<TextList, undefined> {
  let text = 0;
  let byte = 0;
  for (const count of counts) {
    const own = ends.subarray(text, text + count);
    const length = count === 0 ? 0 : own[count - 1]!;
    yield {
      count,
      types: types.subarray(text, text + count),
      ends: own,
      bytes: bytes.subarray(byte, byte + length),
    };
    text += count;
    byte += length;
  }
}

const lengthOf = ({ count, ends }: TextList): number => (count === 0 ? 0 : ends[count - 1]!);
