/** Packs 256 unsigned integers into `width` bits each, the first in the lowest bits of the first word. */

/** Values per block. */
export const BLOCK = 256;

/** Words per block: 256 values of `width` bits. */
export const wordsOf = (width: number): number => width * (BLOCK / 32);

/** Writes the differences of a block's values from `base`; they must fit `width` bits. */
export function pack(
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
