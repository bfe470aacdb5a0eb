/**
 * Columns of unsigned 32-bit integers as bytes: blocks of 256, each with a base, a width and exceptions that are too large for
 * the width (PFOR: Zukowski et al., "Super-scalar RAM-CPU cache compression", 2006). Exceptions pay because of late events:
 * otherwise a few outliers would set the width of nearly every block.
 *
 * Layout, little-endian: u32 count · per block u32 base · per block u8 width · per block u8 exceptions · padding to 4 · words of
 * all blocks · per exception u8 position · padding to 4 · per exception u32 value.
 */
import { makeColumn, WORDS, type ColumnLength } from '../../../primitives/columns.ts';
import { primitives, Room, wordsAt } from '../../../primitives/memory.ts';
import type { CodeSize } from '../../../primitives/primitives.ts';
import { threshold } from '../../../base/threshold.ts';

/** Values per block. */
const BLOCK = 256;

/** Words per block: 256 values of `width` bits. */
const wordsOf = (width: number): number => width * (BLOCK / 32);

/** Bits that an exception costs: its position and its value. */
const EXCEPTION_BITS = 40;
const MAX_EXCEPTIONS = threshold('exceptions of a block', 255, { most: 255 });

const scratch = new Uint32Array(BLOCK);
const source = new Room();
const brief = new Room();

/** Encodes the first `count` values. */
export function encodeIntegers(values: Uint32Array, count = values.length): Uint8Array {
  const blocks = Math.ceil(count / BLOCK);
  const bases = new Uint32Array(blocks);
  const widths = new Uint8Array(blocks);
  const exceptionCounts = new Uint8Array(blocks);
  const words = new Uint32Array(blocks * BLOCK);
  const places: number[] = [];
  const exceptions: number[] = [];
  let used = 0;
  for (let b = 0; b < blocks; b++) {
    const from = b * BLOCK;
    const length = Math.min(BLOCK, count - from);
    const base = minimum(values, from, length);
    const width = bestWidth(values, from, length, base);
    scratch.fill(base);
    const limit = 2 ** width;
    const before = places.length;
    for (let i = 0; i < length; i++) {
      const value = values[from + i]!;
      if (value - base < limit) scratch[i] = value;
      else {
        places.push(i);
        exceptions.push(value);
      }
    }
    pack(scratch, { width, base }, words, used);
    used += wordsOf(width);
    bases[b] = base;
    widths[b] = width;
    exceptionCounts[b] = places.length - before;
  }
  return assemble(count, [
    bytesOf(bases),
    widths,
    exceptionCounts,
    null,
    bytesOf(words.subarray(0, used)),
    Uint8Array.from(places),
    null,
    bytesOf(Uint32Array.from(exceptions)),
  ]);
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
export function unpackInto(bytes: Uint8Array, room: Room): Uint32Array {
  const packed = openIntegers(bytes);
  const address = room.of(packed.room * 4);
  packed.unpack(address, 4);
  return wordsAt(address, packed.length);
}

/** The number of values, without decoding them. */
export function integerCount(bytes: Uint8Array): number {
  return new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
}

/**
 * Packs the differences of a block's values from `base`, which must fit `width` bits, the first in the lowest bits of the first
 * word.
 */
function pack(
  values: Uint32Array,
  { width, base }: { readonly width: number; readonly base: number },
  words: Uint32Array,
  to: number,
): void {
  let word = 0;
  let filled = 0; // bits used in the word
  let at = to;
  for (let i = 0; i < BLOCK; i++) {
    const value = (values[i]! - base) >>> 0;
    word |= value << filled;
    filled += width;
    if (filled < 32) continue;
    words[at++] = word;
    filled -= 32;
    word = filled === 0 ? 0 : value >>> (width - filled);
  }
}

function minimum(values: Uint32Array, from: number, length: number): number {
  let min = values[from]!;
  for (let i = 1; i < length; i++) if (values[from + i]! < min) min = values[from + i]!;
  return min;
}

const histogram = new Uint16Array(33);

/** The width that takes the fewest bits, including exceptions. */
function bestWidth(values: Uint32Array, from: number, length: number, base: number): number {
  histogram.fill(0);
  for (let i = 0; i < length; i++) histogram[32 - Math.clz32(values[from + i]! - base)]!++;
  let best = 32;
  let bestBits = 32 * BLOCK;
  let above = 0; // values wider than `width`
  for (let width = 32; width >= 0; width--) {
    if (above > MAX_EXCEPTIONS.value) break;
    const bits = width * BLOCK + above * EXCEPTION_BITS;
    if (bits < bestBits) {
      bestBits = bits;
      best = width;
    }
    above += histogram[width]!;
  }
  return best;
}

const align = (at: number): number => (at + 3) & ~3;
const bytesOf = (words: Uint32Array): Uint8Array => new Uint8Array(words.buffer, words.byteOffset, words.byteLength);

/** Writes the pieces after the count; null pads to a multiple of 4. */
function assemble(count: number, pieces: readonly (Uint8Array | null)[]): Uint8Array {
  let length = 4;
  for (const piece of pieces) length = piece === null ? align(length) : length + piece.length;
  const out = new Uint8Array(length);
  new DataView(out.buffer).setUint32(0, count, true);
  let at = 4;
  for (const piece of pieces) {
    if (piece === null) at = align(at);
    else {
      out.set(piece, at);
      at += piece.length;
    }
  }
  return out;
}
