/**
 * Packing of 256 unsigned integers to `width` bits each. One function per width, generated from the width alone: 32 values take
 * exactly `width` words, so a group of 32 is straight-line code with constant shifts
 * (the idea of Lemire and Boytsov, "Decoding billions of integers per second through vectorization", 2012).
 */

/** Values in a block. */
export const BLOCK = 256;

/** Words that a block takes at a width: 256 values of `width` bits. */
export const wordsOf = (width: number): number => width * (BLOCK / 32);

export type Pack = (values: Uint32Array, at: number, base: number, words: Uint32Array, to: number) => void;

const packers: (Pack | undefined)[] = [];

/** Values must fit `width` bits after `base` is subtracted; higher bits are cut. */
export function packer(width: number): Pack {
  return (packers[width] ??= makePacker(width));
}

function makePacker(width: number): Pack {
  if (width === 0) return () => {};
  const mask = width === 32 ? '' : ` & ${2 ** width - 1}`;
  const words = new Array<string[]>(width).fill([]).map(() => [] as string[]);
  const loads: string[] = [];
  for (let i = 0; i < 32; i++) {
    loads.push(`const v${i} = (values[o + ${i}] - base)${mask};`);
    const bit = i * width;
    const word = bit >>> 5;
    const shift = bit & 31;
    words[word]!.push(shift === 0 ? `v${i}` : `v${i} << ${shift}`);
    if (shift + width > 32) words[word + 1]!.push(`v${i} >>> ${32 - shift}`);
  }
  const stores = words.map((terms, k) => `words[p + ${k}] = ${terms.join(' | ')};`);
  const body = `for (let g = 0, p = to, o = at; g < ${BLOCK / 32}; g++, p += ${width}, o += 32) {\n${loads.join('\n')}\n${stores.join('\n')}\n}`;
  return generated<Pack>(['values', 'at', 'base', 'words', 'to'], body);
}

/** The source holds numbers of this module only, never anything that came from outside. */
function generated<F>(parameters: string[], body: string): F {
  // oxlint-disable-next-line typescript/no-implied-eval, typescript/no-unsafe-type-assertion -- straight-line code for one width; no outside text reaches it
  return new Function(...parameters, body) as F;
}
