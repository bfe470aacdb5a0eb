/**
 * Insert ids of rows. Made ones derive from the row's arrival and cost nothing; ids of 16 hexadecimal digits are 8 bytes; others
 * are texts.
 */
import { INSERT_HEX, INSERT_MADE, INSERT_TEXT } from '../column.ts';
import { decodeIntegersBriefly, encodeIntegers } from '../encoding/integers.ts';
import { joinSections, splitSections, EMPTY } from '../encoding/sections.ts';
import { decodeTexts, encodeTexts, type TextList } from '../encoding/texts.ts';

export const MADE = INSERT_MADE;
export const HEX16 = INSERT_HEX;
export const TEXT = INSERT_TEXT;
export type InsertKind = typeof MADE | typeof HEX16 | typeof TEXT;

/** Per row a kind; of MADE and HEX16 the two halves of the number, of TEXT `low` is the number of the text. */
export interface InsertIds {
  readonly kinds: Uint8Array;
  readonly low: Uint32Array;
  readonly high: Uint32Array;
  readonly texts: TextList | null;
}

/** The number of a made id is its row's arrival, unique in the project. */
export function numberMadeIds({ kinds, low, high }: InsertIds, arrivals: Float64Array): void {
  for (let row = 0; row < kinds.length; row++) {
    if (kinds[row] !== MADE) continue;
    low[row] = arrivals[row]!;
    high[row] = arrivals[row]! / 2 ** 32;
  }
}

const hex = (word: number): string => word.toString(16).padStart(8, '0');

export function insertIdText(ids: InsertIds, row: number): string {
  switch (ids.kinds[row]) {
    case MADE:
      return `evt_${hex(ids.high[row]!)}${hex(ids.low[row]!)}`;
    case HEX16:
      return hex(ids.high[row]!) + hex(ids.low[row]!);
    default: {
      const { bytes, start, end } = insertIdBytes(ids, row);
      return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('utf8');
    }
  }
}

export function encodeInsertIds(ids: InsertIds, order: Uint32Array): Uint8Array {
  const rows = order.length;
  const kinds = new Uint32Array(rows);
  const packed = new Uint32Array(rows * 2);
  let hexRows = 0;
  const texts: Uint8Array[] = [];
  const ends: number[] = [];
  let length = 0;
  for (let i = 0; i < rows; i++) {
    const row = order[i]!;
    const kind = ids.kinds[row]!;
    kinds[i] = kind;
    if (kind === HEX16) {
      packed[hexRows * 2] = ids.low[row]!;
      packed[hexRows * 2 + 1] = ids.high[row]!;
      hexRows++;
    } else if (kind === TEXT) {
      const { bytes, start, end } = insertIdBytes(ids, row);
      texts.push(bytes.subarray(start, end));
      ends.push((length += end - start));
    }
  }
  const list = {
    count: ends.length,
    types: new Uint8Array(ends.length),
    ends: Uint32Array.from(ends),
    bytes: Buffer.concat(texts),
  };
  return joinSections([
    encodeIntegers(kinds),
    new Uint8Array(packed.buffer, 0, hexRows * 8),
    texts.length ? encodeTexts(list) : EMPTY,
  ]);
}

/** Made ids still lack their numbers. */
export function decodeInsertIds(encoded: Uint8Array): InsertIds {
  const [packedKinds, packedHex, packedTexts] = splitSections(encoded);
  const values = decodeIntegersBriefly(packedKinds!);
  const count = values.length;
  const hexes = new Uint32Array(packedHex!.buffer, packedHex!.byteOffset, packedHex!.byteLength >>> 2);
  const kinds = new Uint8Array(count);
  const low = new Uint32Array(count);
  const high = new Uint32Array(count);
  for (let row = 0, h = 0, t = 0; row < count; row++) {
    kinds[row] = values[row]!;
    if (kinds[row] === HEX16) {
      low[row] = hexes[h++]!;
      high[row] = hexes[h++]!;
    } else if (kinds[row] === TEXT) low[row] = t++;
  }
  return { kinds, low, high, texts: packedTexts!.length ? decodeTexts(packedTexts!) : null };
}

function insertIdBytes(ids: InsertIds, row: number): { bytes: Uint8Array; start: number; end: number } {
  const texts = ids.texts;
  if (!texts) throw new Error('an insert id is a text, but there are none');
  const index = ids.low[row]!;
  return { bytes: texts.bytes, start: index === 0 ? 0 : texts.ends[index - 1]!, end: texts.ends[index]! };
}
