/**
 * Columns of unsigned 32-bit integers as bytes: blocks of 256, each with a base, a width and exceptions that are too large for
 * the width (PFOR: Zukowski et al., "Super-scalar RAM-CPU cache compression", 2006). Exceptions pay because of late events:
 * otherwise a few outliers would set the width of nearly every block.
 *
 * Layout, little-endian: u32 count · per block u32 base · per block u8 width · per block u8 exceptions · padding to 4 · words of
 * all blocks · per exception u8 position · padding to 4 · per exception u32 value.
 */
import { makeColumn, WORDS, type ColumnLength } from '../../../primitives/columns.ts';
import { addressOfArray, memoryAt, primitives, Scratch, wordsAt } from '../../../primitives/memory.ts';
import type { CodeSize } from '../../../primitives/primitives.ts';
import { threshold } from '../../../base/threshold.ts';

/** Values per block. */
const BLOCK = 256;

const MAX_EXCEPTIONS = threshold('exceptions of a block', 255, { most: 255 });

/** Bytes of an encoded column: at most so many for each block, and for the rest. */
const MOST_OF_BLOCK = BLOCK * 4 + 6;
const MOST_OF_REST = 8;

const values = new Scratch();
const made = new Scratch();
const source = new Scratch();
const brief = new Scratch();

/** Encodes words of the thread's memory, or of the heap. */
export function encodeIntegers(words: Uint32Array): Uint8Array {
  const out = made.of(Math.ceil(words.length / BLOCK) * MOST_OF_BLOCK + MOST_OF_REST);
  const length = primitives.packIntegers(addressOfArray(words, values), words.length, MAX_EXCEPTIONS.value, out);
  return new Uint8Array(memoryAt(out, length));
}

/** An encoded column in the memory of the thread, until the next one is opened. */
export interface Packed extends ColumnLength {
  /** An upper bound of the values. */
  readonly bound: number;
  /** Writes the values, `room` of them, to an address. `size`: bytes per value, enough for `bound`. */
  unpack(out: number, size: CodeSize): void;
}

/** Throws if the bytes are not an encoded column. */
export function openIntegers(bytes: Uint8Array): Packed {
  const column = source.copyOf(bytes);
  const bound = primitives.boundOfIntegers(column, bytes.length);
  if (bound < 0) throw new Error('a column of integers is damaged');
  const length = integerCount(bytes);
  const room = Math.ceil(length / BLOCK) * BLOCK;
  return { length, room, bound, unpack: (out, size) => void primitives.unpackIntegers(column, out, size) };
}

export function decodeIntegers(bytes: Uint8Array): Uint32Array {
  const packed = openIntegers(bytes);
  return makeColumn(WORDS, packed, (out) => packed.unpack(out, 4));
}

/**
 * Like `decodeIntegers`, but in memory that the next call overwrites: for values that are converted at once. Its `byteOffset` is
 * its address.
 */
export function decodeIntegersBriefly(bytes: Uint8Array): Uint32Array {
  return unpackInto(bytes, brief);
}

/** Like `decodeIntegersBriefly`, but in the caller's room. */
export function unpackInto(bytes: Uint8Array, room: Scratch): Uint32Array {
  const packed = openIntegers(bytes);
  const address = room.of(packed.room * 4);
  packed.unpack(address, 4);
  return wordsAt(address, packed.length);
}

/** The number of values, without decoding them. */
export function integerCount(bytes: Uint8Array): number {
  return new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
}
