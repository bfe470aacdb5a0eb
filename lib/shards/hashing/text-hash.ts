/** The 80-bit keyed hash that identifies texts that are not in memory. */

/** The key for the hashes of a shard: two words of 32 bits, fixed for its life. */
export type Secret = readonly [number, number];

/** Lanes of 32, 32 and 16 bits; a reused record. */
export interface TextHash {
  a: number;
  b: number;
  c: number;
}

/**
 * Three lanes with the steps of MurmurHash3 (x86, 32 bits) in one pass. Each word is first mixed with a secret of the lane, so
 * that nobody outside can construct collisions. Among ten million texts, the probability of any collision is 4 in 10¹¹.
 */
export function textHash(
  bytes: Uint8Array,
  { start, end }: { readonly start: number; readonly end: number },
  [first, second]: Secret,
  out: TextHash,
): void {
  const third = Math.imul(first ^ (second >>> 13), 0x9e3779b1) ^ Math.imul(second, 0x85ebca77);
  let a = second;
  let b = third;
  let c = first;
  let at = start;
  for (; at + 4 <= end; at += 4) {
    const word = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
    a = step(a, word ^ first);
    b = step(b, word ^ second);
    c = step(c, word ^ third);
  }
  let rest = 0;
  for (let shift = 0; at < end; at++, shift += 8) rest |= bytes[at]! << shift;
  const length = end - start;
  out.a = finish(step(a, rest ^ first) ^ length);
  out.b = finish(step(b, rest ^ second) ^ length);
  out.c = finish(step(c, rest ^ third) ^ length) & 0xffff;
}

/** A step of MurmurHash3 (x86, 32 bits): mixes in a word. */
export function step(h: number, word: number): number {
  let k = Math.imul(word, 0xcc9e2d51);
  k = (k << 15) | (k >>> 17);
  const next = h ^ Math.imul(k, 0x1b873593);
  return (Math.imul((next << 13) | (next >>> 19), 5) + 0xe6546b64) | 0;
}

/** The end of MurmurHash3: small differences become large ones. */
export function finish(hash: number): number {
  let h = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/** Mixes a word so that each of its bits affects about half of the result ("lowbias32" by Chris Wellons), without collisions. */
export function mixHash(word: number): number {
  let x = Math.imul(word ^ (word >>> 16), 0x21f0aaad);
  x = Math.imul(x ^ (x >>> 15), 0x735a2d97);
  return (x ^ (x >>> 15)) >>> 0;
}
