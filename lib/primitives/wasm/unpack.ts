/**
 * Blocks of 256 integers of `width` bits each → words, halves or bytes. Four values at a time: their bytes are moved to the four
 * lanes, a multiplication shifts each to the top of its lane (lanes have no separate shifts), one shift brings all down.
 * (Lemire and Boytsov, "Decoding billions of integers per second through vectorization", 2012, has the layout.)
 */

/** Values in a block. */
export const BLOCK: u32 = 256;
/** Up to this width, a value and the bits before it in its first byte fit into a lane. */
const WIDEST: u32 = 25;

/**
 * By width, for values 0 to 3 and 4 to 7 of every eight: which bytes go to which lane, and what lanes are multiplied by. Eight
 * values take `width` whole bytes, so these two patterns suffice.
 */
const PATTERN: usize = 32;
const PATTERNS: usize = memory.data(26 * 2 * 32, 16);

export function setUpUnpacking(): void {
  for (let width: u32 = 1; width <= WIDEST; width++) {
    for (let half: u32 = 0; half < 2; half++) {
      const at = patternOf(width, half);
      const first = (half * 4 * width) & 7;
      for (let lane: u32 = 0; lane < 4; lane++) {
        const bit = first + lane * width;
        for (let byte: u32 = 0; byte < 4; byte++) store<u8>(at + lane * 4 + byte, <u8>((bit >> 3) + byte));
        store<u32>(at + 16 + lane * 4, 1 << (32 - width - (bit & 7)));
      }
    }
  }
}

function patternOf(width: u32, half: u32): usize {
  return PATTERNS + <usize>(width * 2 + half) * PATTERN;
}

/** Plain form: `out[i] = base + (bits [i * width, (i + 1) * width) of the block)` for i from 0 to 255, where values fit into a T. */
export function unpackBlock<T>(from: usize, width: u32, base: u32, out: usize): void {
  if (width == 0) return fill(v128.splat<T>(<T>base), out, BLOCK * sizeof<T>());
  if (sizeof<T>() == 4 && width > WIDEST) return unpackWide(from, width, base, out);
  const even = patternOf(width, 0);
  const odd = patternOf(width, 1);
  const evenBytes = v128.load(even);
  const evenFactors = v128.load(even, 16);
  const oddBytes = v128.load(odd);
  const oddFactors = v128.load(odd, 16);
  const bases = i32x4.splat(base);
  const shift: i32 = 32 - width;
  const half: usize = width >> 1;
  const end = out + BLOCK * sizeof<T>();
  for (; out < end; out += 16) {
    const first = lanes(from, evenBytes, evenFactors, shift, bases);
    const second = lanes(from + half, oddBytes, oddFactors, shift, bases);
    from += width;
    if (sizeof<T>() == 4) {
      v128.store(out, first);
      out += 16;
      v128.store(out, second);
    } else if (sizeof<T>() == 2) {
      v128.store(out, i16x8.narrow_i32x4_u(first, second));
    } else {
      const third = lanes(from, evenBytes, evenFactors, shift, bases);
      const fourth = lanes(from + half, oddBytes, oddFactors, shift, bases);
      from += width;
      v128.store(out, i8x16.narrow_i16x8_u(i16x8.narrow_i32x4_u(first, second), i16x8.narrow_i32x4_u(third, fourth)));
    }
  }
}

function lanes(from: usize, bytes: v128, factors: v128, shift: i32, bases: v128): v128 {
  return i32x4.add(i32x4.shr_u(i32x4.mul(i8x16.swizzle(v128.load(from), bytes), factors), shift), bases);
}

function fill(values: v128, out: usize, bytes: u32): void {
  const end = out + bytes;
  for (; out < end; out += 16) v128.store(out, values);
}

function unpackWide(from: usize, width: u32, base: u32, out: usize): void {
  const mask: u64 = (1 << width) - 1;
  for (let i: u32 = 0, bit: u32 = 0; i < BLOCK; i++, bit += width) {
    store<u32>(out + i * 4, base + <u32>((load<u64>(from + (bit >> 3)) >> (bit & 7)) & mask));
  }
}
