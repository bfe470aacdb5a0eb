/**
 * The triple of a row is its user, device and session; a segment numbers its triples by first appearance. What follows from a
 * triple (the ids themselves, and what mostly stays the same: country, browser, plan) is stored once per triple, not per row.
 */
import { threshold } from '../../base/threshold.ts';
import { decodeIntegersBriefly, encodeIntegers, openIntegers, unpackInto } from './encoding/integers.ts';
import { memoryAt, halvesAt, Lease, primitives, Scratch, wordsAt } from '../../primitives/memory.ts';
import type { CodeSize } from '../../primitives/primitives.ts';
import { joinSections, splitSections } from './encoding/sections.ts';
import { checkedBytes, type StoredBytes } from '../file/stored-bytes.ts';

/** Codes of users, devices and sessions by row; 0 means none. */
export interface RowOwners {
  readonly users: Uint32Array;
  readonly devices: Uint32Array;
  readonly sessions: Uint32Array;
}

/** Arrays in the thread's memory. */
export interface Triples {
  readonly ofRows: Uint32Array;
  /** The first row of each. */
  readonly firsts: Uint32Array;
}

/** Bytes that triples must save in a segment to be used. */
const SAVED = threshold('bytes that triples save', 0, { least: -Infinity });
/** If more than one in so many rows differs from its triple's code, the column does not follow from triples. */
const EXCEPTIONS = threshold('rows an exception of a triple', 8, { most: 8 });

/** The triples of rows, in memory of the lease. */
export function triplesOf({ users, devices, sessions }: RowOwners, lease: Lease): Triples {
  using own = new Lease();
  const rows = users.length;
  let size = 16;
  while (size < rows * 2) size *= 2;
  const slots = own.noWords(size);
  const firsts = lease.words(rows);
  const ofRows = lease.words(rows);
  const count = primitives.numberTriples(
    own.hold(users).byteOffset,
    own.hold(devices).byteOffset,
    own.hold(sessions).byteOffset,
    rows,
    slots.byteOffset,
    size,
    firsts.byteOffset,
    ofRows.byteOffset,
  );
  return { ofRows, firsts: firsts.subarray(0, count) };
}

/** A code for each row, by triple; null if codes do not follow from triples. */
export function encodeByTriple(words: Uint32Array, { ofRows, firsts }: Triples): Uint8Array | null {
  using lease = new Lease();
  const codes = lease.hold(words);
  const table = lease.gather(codes, firsts);
  const most = Math.min(codes.length, Math.ceil(codes.length / EXCEPTIONS.value));
  const rows = lease.words(most);
  const [from, triples] = [table.byteOffset, ofRows.byteOffset];
  const count = primitives.pickUnlike(codes.byteOffset, codes.length, from, triples, most, rows.byteOffset);
  if (count > most) return null;
  const unlike = rows.subarray(0, count);
  return encodeCodesByTriple(table, unlike, lease.gather(codes, unlike));
}

/** The two possible forms of a column. */
export interface Forms {
  readonly plain: Uint8Array;
  /** null if it has only the plain form. */
  readonly byTriple: Uint8Array | null;
}

/** The shorter form of each column, and the triples if any column needs them. */
export function chooseForms(
  forms: readonly Forms[],
  { ofRows }: Triples,
): { readonly columns: readonly Uint8Array[]; readonly triples: Uint8Array | null } {
  const shorter = forms.map(({ plain, byTriple }) =>
    byTriple !== null && plain.length - byTriple.length > SAVED.value ? byTriple : plain,
  );
  const saved = forms.reduce((sum, { plain }, i) => sum + plain.length - shorter[i]!.length, 0);
  const triples = saved > SAVED.value ? encodeIntegers(ofRows) : null;
  if (triples !== null && saved - triples.length > SAVED.value) return { columns: shorter, triples };
  return { columns: forms.map(({ plain }) => plain), triples: null };
}

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

const tableRoom = new Scratch();

/** @param room The caller's, used for nothing else. */
export function decodeTriples(bytes: Uint8Array, room: Scratch): DecodedTriples {
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
  const view = size === 4 ? wordsAt(out, length) : size === 2 ? halvesAt(out, length) : memoryAt(out, length);
  for (let i = 0; i < rows.length; i++) view[rows[i]!] = codes[i]!;
}

const room = new Scratch();

/** In the memory of the thread until the next call. Throws if the segment has codes by triple but lacks the triples. */
export function storedTriples(column: StoredBytes | undefined): DecodedTriples {
  if (!column) throw new Error('a segment lacks the triples of its rows');
  return decodeTriples(checkedBytes(column), room);
}
