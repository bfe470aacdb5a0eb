/**
 * Columns of unsigned 32-bit integers as bytes: blocks of 256, each with a base, a width and exceptions that are too large for
 * the width (PFOR: Zukowski et al., "Super-scalar RAM-CPU cache compression", 2006). Late events are why exceptions pay: a
 * few outliers in nearly every block would otherwise set its width.
 *
 * Layout, little-endian: u32 count · per block u32 base · per block u8 width · per block u8 exceptions · padding to 4 ·
 * words of all blocks · per exception u8 place · padding to 4 · per exception u32 value.
 */
import { BLOCK, packer, unpacker, wordsOf } from './bits.ts';
import { threshold } from '../../threshold.ts';

/** What an exception costs in bits: its place and its value. */
const EXCEPTION_BITS = 40;
const MAX_EXCEPTIONS = threshold('exceptions of a block', 255, { most: 255 });

const scratch = new Uint32Array(BLOCK);

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
    packer(width)(scratch, 0, base, words, used);
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

/** Decodes into a new array whose length is rounded up to whole blocks; `count` says how many are meant. */
export function decodeIntegers(bytes: Uint8Array): { values: Uint32Array; count: number } {
  return decodeIntegersInto(bytes, (length) => new Uint32Array(length));
}

/**
 * As `decodeIntegers`, into an array that the next call overwrites: for values that are made into something else at once. A
 * new array of a whole column costs more than decoding it, because each of its pages is cleared when it is first touched.
 */
export function decodeIntegersBriefly(bytes: Uint8Array): { values: Uint32Array; count: number } {
  return decodeIntegersInto(bytes, (length) => {
    if (length > MAX_BRIEF) return new Uint32Array(length);
    if (brief.length < length) brief = new Uint32Array(Math.min(MAX_BRIEF, length * 2));
    return brief;
  });
}

/** How many values there are, without decoding them. */
export function integerCount(bytes: Uint8Array): number {
  return new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
}

/** Between which numbers the largest value is, without decoding any. */
export function boundsOfLargest(bytes: Uint8Array): { readonly least: number; readonly most: number } {
  const { bases, widths, exceptionCounts, words } = headOf(aligned(bytes));
  let least = 0;
  let most = 0;
  let used = 0;
  let total = 0;
  for (let b = 0; b < widths.length; b++) {
    const [base, width] = [bases[b]!, widths[b]!];
    // A width is taken only where some value needs it.
    least = Math.max(least, base + Math.floor(2 ** (width - 1)));
    most = Math.max(most, base + 2 ** width - 1);
    used += wordsOf(width);
    total += exceptionCounts[b]!;
  }
  if (total > 0) {
    for (const exception of exceptionsOf(words, used, total).values) {
      least = Math.max(least, exception);
      most = Math.max(most, exception);
    }
  }
  return { least, most };
}

/** Values of the largest array that is kept. */
const MAX_BRIEF = 1 << 20;
let brief = new Uint32Array(0);

/** As `decodeIntegers`, into an array that `room` gives, of at least the length that it is asked for. */
export function decodeIntegersInto(
  bytes: Uint8Array,
  room: (length: number) => Uint32Array,
): { values: Uint32Array; count: number } {
  const { count, bases, widths, exceptionCounts, words } = headOf(aligned(bytes));
  const blocks = widths.length;
  const values = room(blocks * BLOCK);
  let used = 0;
  let total = 0;
  for (let b = 0; b < blocks; b++) {
    const width = widths[b]!;
    unpacker(width)(words, used, values, b * BLOCK, bases[b]!);
    used += wordsOf(width);
    total += exceptionCounts[b]!;
  }
  if (total > 0) {
    const { places, values: exceptions } = exceptionsOf(words, used, total);
    for (let b = 0, e = 0; b < blocks; b++) {
      for (const until = e + exceptionCounts[b]!; e < until; e++) values[b * BLOCK + places[e]!] = exceptions[e]!;
    }
  }
  return { values, count };
}

function aligned(bytes: Uint8Array): Uint8Array {
  return bytes.byteOffset % 4 === 0 ? bytes : new Uint8Array(bytes);
}

/** The arrays in front, and everything behind them as words: those of the blocks, then the exceptions. */
interface Head {
  readonly count: number;
  readonly bases: Uint32Array;
  readonly widths: Uint8Array;
  readonly exceptionCounts: Uint8Array;
  readonly words: Uint32Array;
}

function headOf({ buffer, byteOffset, byteLength }: Uint8Array): Head {
  const count = new Uint32Array(buffer, byteOffset, 1)[0]!;
  const blocks = Math.ceil(count / BLOCK);
  const wordsAt = align(4 + blocks * 6);
  return {
    count,
    bases: new Uint32Array(buffer, byteOffset + 4, blocks),
    widths: new Uint8Array(buffer, byteOffset + 4 + blocks * 4, blocks),
    exceptionCounts: new Uint8Array(buffer, byteOffset + 4 + blocks * 5, blocks),
    words: new Uint32Array(buffer, byteOffset + wordsAt, (byteLength - wordsAt) >>> 2),
  };
}

/** @param used Words of the blocks. */
function exceptionsOf(
  { buffer, byteOffset }: Uint32Array,
  used: number,
  total: number,
): { readonly places: Uint8Array; readonly values: Uint32Array } {
  const places = new Uint8Array(buffer, byteOffset + used * 4, total);
  return { places, values: new Uint32Array(buffer, byteOffset + used * 4 + align(total), total) };
}

function minimum(values: Uint32Array, from: number, length: number): number {
  let min = values[from]!;
  for (let i = 1; i < length; i++) if (values[from + i]! < min) min = values[from + i]!;
  return min;
}

const histogram = new Uint16Array(33);

/** The width that takes the fewest bits, exceptions included. */
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

/** Puts the pieces behind the count; null pads to a multiple of 4. */
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
