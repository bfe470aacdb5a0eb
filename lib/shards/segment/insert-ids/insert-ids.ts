/**
 * Insert ids of rows. Generated ones derive from the row's arrival and cost nothing; ids of 16 hexadecimal digits take 8 bytes,
 * UUIDs 16; others are texts.
 */
import { INSERT_HEX, INSERT_MADE, INSERT_TEXT, INSERT_UUID } from '../../shard-reader.ts';
import { decodeIntegersBriefly, encodeIntegers } from '../encoding/integers.ts';
import { EMPTY, joinSections, splitSections } from '../encoding/sections.ts';
import { bytesOfList, decodeTexts, encodeTexts, type TextList } from '../encoding/texts.ts';
import { UUID_BYTES, uuidText } from '../../hashing/uuid.ts';

export const MADE = INSERT_MADE;
export const HEX16 = INSERT_HEX;
export const TEXT = INSERT_TEXT;
export const UUID = INSERT_UUID;
/** Added to the stored kinds of imported rows. */
const IMPORTED = 4;
export type InsertKind = typeof MADE | typeof HEX16 | typeof TEXT | typeof UUID;

/** Kinds by row; for MADE and HEX16 the two halves of the number; for TEXT and UUID `low` is the index of the text or UUID. */
export interface InsertIdRows {
  readonly kinds: Uint8Array;
  /** By row: 1 if the event is of an import, so that its id never expires. */
  readonly imported: Uint8Array;
  readonly low: Uint32Array;
  readonly high: Uint32Array;
  readonly texts: TextList | null;
  /** Concatenated. */
  readonly uuids: Uint8Array;
}

/** Bytes of memory. */
export const bytesOfIds = ({ kinds, imported, low, high, texts, uuids }: InsertIdRows): number =>
  kinds.byteLength +
  imported.byteLength +
  low.byteLength +
  high.byteLength +
  uuids.byteLength +
  (texts === null ? 0 : bytesOfList(texts));

/** The location of an id's bytes; a reused record. */
export interface IdPlace {
  bytes: Uint8Array;
  start: number;
  end: number;
}

/** The number of a generated id is its row's arrival, unique in the project. @param arrivalsOf Called if there is such an id. */
export function numberMadeIds({ kinds, low, high }: InsertIdRows, arrivalsOf: () => Float64Array): void {
  if (!kinds.includes(MADE)) return;
  const arrivals = arrivalsOf();
  for (let row = 0; row < kinds.length; row++) {
    if (kinds[row] !== MADE) continue;
    low[row] = arrivals[row]!;
    high[row] = arrivals[row]! / 2 ** 32;
  }
}

const hex = (word: number): string => word.toString(16).padStart(8, '0');

export function insertIdText(ids: InsertIdRows, row: number): string {
  switch (ids.kinds[row]) {
    case MADE:
      return `evt_${hex(ids.high[row]!)}${hex(ids.low[row]!)}`;
    case HEX16:
      return hex(ids.high[row]!) + hex(ids.low[row]!);
    case UUID:
      return uuidText(ids.uuids, ids.low[row]! * UUID_BYTES);
    default: {
      placeOfId(ids, row, place);
      return Buffer.from(place.bytes.buffer, place.bytes.byteOffset + place.start, place.end - place.start).toString();
    }
  }
}

const place: IdPlace = { bytes: EMPTY, start: 0, end: 0 };

/** Locates the bytes of a row's TEXT or UUID. */
export function placeOfId({ kinds, low, texts, uuids }: InsertIdRows, row: number, out: IdPlace): void {
  const index = low[row]!;
  if (kinds[row] === UUID) {
    out.bytes = uuids;
    out.start = index * UUID_BYTES;
    out.end = out.start + UUID_BYTES;
    return;
  }
  if (!texts) throw new Error('an insert id is a text, but there are none');
  out.bytes = texts.bytes;
  out.start = index === 0 ? 0 : texts.ends[index - 1]!;
  out.end = texts.ends[index]!;
}

export function encodeInsertIds(ids: InsertIdRows, order: Uint32Array): Uint8Array {
  return areHex(ids) && !ids.kinds.includes(MADE) ? encodeHexIds(ids, order) : encodeMixedIds(ids, order);
}

/** Whether all ids but generated ones have 16 hexadecimal digits. */
export const areHex = ({ texts, uuids }: InsertIdRows): boolean => (texts?.count ?? 0) + uuids.length === 0;

function encodeHexIds({ imported, low, high }: InsertIdRows, order: Uint32Array): Uint8Array {
  const kinds = new Uint32Array(order.length);
  const pairs = new Uint32Array(order.length * 2);
  for (let i = 0; i < order.length; i++) {
    kinds[i] = HEX16 + imported[order[i]!]! * IMPORTED;
    pairs[i * 2] = low[order[i]!]!;
    pairs[i * 2 + 1] = high[order[i]!]!;
  }
  return joinSections([encodeIntegers(kinds), new Uint8Array(pairs.buffer), EMPTY]);
}

function encodeMixedIds(ids: InsertIdRows, order: Uint32Array): Uint8Array {
  const rows = order.length;
  const kinds = new Uint32Array(rows);
  const packed = new Uint32Array(rows * 2);
  const uuids = new Uint8Array(ids.uuids.length > 0 ? rows * UUID_BYTES : 0);
  let hexRows = 0;
  let uuidBytes = 0;
  const texts: Uint8Array[] = [];
  const ends: number[] = [];
  let length = 0;
  for (let i = 0; i < rows; i++) {
    const row = order[i]!;
    const kind = ids.kinds[row]!;
    kinds[i] = kind + ids.imported[row]! * IMPORTED;
    if (kind === HEX16) {
      packed[hexRows * 2] = ids.low[row]!;
      packed[hexRows * 2 + 1] = ids.high[row]!;
      hexRows++;
    } else if (kind === UUID) {
      const from = ids.low[row]! * UUID_BYTES;
      uuids.set(ids.uuids.subarray(from, from + UUID_BYTES), uuidBytes);
      uuidBytes += UUID_BYTES;
    } else if (kind === TEXT) {
      placeOfId(ids, row, place);
      texts.push(place.bytes.subarray(place.start, place.end));
      ends.push((length += place.end - place.start));
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
    ...(uuidBytes > 0 ? [uuids.subarray(0, uuidBytes)] : []),
  ]);
}

/** Generated ids still lack their numbers. */
export function decodeInsertIds(encoded: Uint8Array): InsertIdRows {
  const [packedKinds, packedHex, packedTexts, uuids = EMPTY] = splitSections(encoded);
  const values = decodeIntegersBriefly(packedKinds!);
  const count = values.length;
  const hexes = new Uint32Array(packedHex!.buffer, packedHex!.byteOffset, packedHex!.byteLength >>> 2);
  const kinds = new Uint8Array(count);
  const imported = new Uint8Array(count);
  for (let row = 0; row < count; row++) {
    kinds[row] = values[row]! % IMPORTED;
    imported[row] = values[row]! / IMPORTED;
  }
  const low = new Uint32Array(count);
  const high = new Uint32Array(count);
  if (count > 0 && hexes.length === 2 * count && uuids.length === 0)
    return { imported, ...allHex(hexes, { kinds, low, high }), texts: null, uuids: EMPTY };
  let uuid = 0;
  for (let row = 0, h = 0, t = 0; row < count; row++) {
    if (kinds[row] === HEX16) {
      low[row] = hexes[h++]!;
      high[row] = hexes[h++]!;
    } else if (kinds[row] === TEXT) low[row] = t++;
    else if (kinds[row] === UUID) low[row] = uuid++;
  }
  if (uuids.length !== uuid * UUID_BYTES) throw new Error('a column of insert ids has other UUIDs than it says');
  return {
    ...{ kinds, imported, low, high },
    texts: packedTexts!.length ? decodeTexts(packedTexts!) : null,
    uuids: new Uint8Array(uuids), // a `slice` of a Buffer would be a view, and keep the whole column
  };
}

/** As most clients of one kind send them. */
function allHex<Rows extends Pick<InsertIdRows, 'kinds' | 'low' | 'high'>>(hexes: Uint32Array, rows: Rows): Rows {
  const { kinds, low, high } = rows;
  kinds.fill(HEX16);
  for (let row = 0; row < low.length; row++) {
    low[row] = hexes[2 * row]!;
    high[row] = hexes[2 * row + 1]!;
  }
  return rows;
}
