/**
 * Codes that follow from the triple of a row (see segment/triples.ts): one per triple, and the codes of rows that differ. Used in
 * place of integers, and told apart by a count that integers cannot have.
 */
import { bytesAt, halvesAt, primitives, Room, wordsAt } from '../../../primitives/memory.ts';
import type { CodeSize } from '../../../primitives/primitives.ts';
import { decodeIntegersBriefly, encodeIntegers, openIntegers, unpackInto } from './integers.ts';
import { joinSections, splitSections } from './sections.ts';
import { bytesOf, type StoredBytes } from '../../file/stored-bytes.ts';

const MARK = 0xffffffff;
const HEAD = 8; // keeps the sections aligned

/** @param table Codes by triple. @param rows Rows with another code, ascending; `codes`: those codes. */
export function encodeCodesByTriple(table: Uint32Array, rows: Uint32Array, codes: Uint32Array): Uint8Array {
  const differences = rows.map((row, i) => (i === 0 ? row : row - rows[i - 1]!));
  const sections = joinSections([encodeIntegers(table), encodeIntegers(differences), encodeIntegers(codes)]);
  const bytes = new Uint8Array(HEAD + sections.length);
  new Uint32Array(bytes.buffer, 0, 1)[0] = MARK;
  bytes.set(sections, HEAD);
  return bytes;
}

export const isByTriple = (bytes: Uint8Array): boolean =>
  bytes.length >= HEAD && new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true) === MARK;

/** Codes by triple in the memory of the thread, until the next ones are opened. */
export interface CodesByTriple {
  readonly largest: number;
  /** Writes a code for each row. `size`: bytes per code, enough for `largest`. */
  readonly unpack: (out: number, size: CodeSize) => void;
}

const tableRoom = new Room();

/** @param room The caller's, used for nothing else. */
export function decodeTriples(bytes: Uint8Array, room: Room): DecodedTriples {
  const ofRows = unpackInto(bytes, room);
  return { ofRows, last: primitives.largest(ofRows.byteOffset, 4, ofRows.length) };
}

/** The triples of rows, in the memory of the thread until others are decoded. */
export interface DecodedTriples {
  readonly ofRows: Uint32Array;
  /** The largest triple. */
  readonly last: number;
}

/** Throws if the bytes are not codes for these triples. */
export function openCodesByTriple(bytes: Uint8Array, { ofRows, last }: DecodedTriples): CodesByTriple {
  const [table, packedRows, packedCodes] = splitSections(bytes.subarray(HEAD));
  if (!table || !packedRows || !packedCodes) throw new Error('codes by triple are damaged');
  const rows = new Uint32Array(decodeIntegersBriefly(packedRows));
  const codes = new Uint32Array(decodeIntegersBriefly(packedCodes));
  if (codes.length !== rows.length) throw new Error('codes by triple are damaged');
  const known = decodeIntegersBriefly(table);
  if (ofRows.length > 0 && last >= known.length) throw new Error('codes by triple lack triples');
  let largest = primitives.largest(known.byteOffset, 4, known.length);
  for (let i = 0; i < rows.length; i++) {
    if (i > 0) rows[i]! += rows[i - 1]!;
    if (rows[i]! >= ofRows.length) throw new Error('codes by triple are damaged');
    if (codes[i]! > largest) largest = codes[i]!;
  }
  const unpack = (out: number, size: CodeSize): void => {
    const packed = openIntegers(table);
    const from = tableRoom.of(packed.room * size);
    packed.unpack(from, size);
    primitives.gather(from, size, ofRows.byteOffset, ofRows.length, out);
    writeAt(out, size, rows, codes);
  };
  return { largest, unpack };
}

function writeAt(out: number, size: CodeSize, rows: Uint32Array, codes: Uint32Array): void {
  if (rows.length === 0) return;
  const length = rows[rows.length - 1]! + 1;
  const view = size === 4 ? wordsAt(out, length) : size === 2 ? halvesAt(out, length) : bytesAt(out, length);
  for (let i = 0; i < rows.length; i++) view[rows[i]!] = codes[i]!;
}

const room = new Room();

/** In the memory of the thread until the next call. Throws if the segment has codes by triple but lacks the triples. */
export function storedTriples(column: StoredBytes | undefined): DecodedTriples {
  if (!column) throw new Error('a segment lacks the triples of its rows');
  return decodeTriples(bytesOf(column), room);
}
