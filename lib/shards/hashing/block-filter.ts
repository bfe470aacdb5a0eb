/** Blocked Bloom filters over 64-bit keys: a lookup reads one cache line. About one in a thousand absent keys passes. */

import { mixHash } from './text-hash.ts';

/** Bits per key. */
const FILTER_BITS = 16;
const FILTER_PROBES = 6;
const BLOCK_WORDS = 16; // a block is a cache line

/**
 * Words with a sign, and so are the bits of a key below: V8 compiles code for small integers, and throws it away, over and over,
 * each time that it meets a word above 2^31.
 */
export type BlockFilter = Int32Array<ArrayBuffer>;

/** A filter as it was stored. */
export const storedFilter = (bytes: Uint8Array): BlockFilter => new Int32Array(new Uint8Array(bytes).buffer);

/** An empty filter for so many keys. */
export const emptyFilter = (keys: number): BlockFilter =>
  new Int32Array(Math.max(1, Math.ceil((keys * FILTER_BITS) / (BLOCK_WORDS * 32))) * BLOCK_WORDS);

/**
 * A key's place in every filter: its block, and bits there, with a sign, or half of them would be objects on the heap. Halves of keys
 * may be uneven (ids may be counters), so both are mixed.
 */
export const blockHash = (high: number, low: number): number => mixHash(high ^ Math.imul(low, 0x9e3779b9)) | 0;
export const bitHash = (low: number, block: number): number => mixHash(low ^ block) | 0;

export function addToFilter(filter: BlockFilter, high: number, low: number): void {
  const a = blockHash(high, low);
  const block = blockOf(filter.length / BLOCK_WORDS, a);
  let b = bitHash(low, a);
  for (let i = 0; i < FILTER_PROBES; i++) {
    filter[block + ((b >>> 5) & 15)]! |= 1 << (b & 31);
    b = nextBits(b, i);
  }
}

/** `a` and `b`: the key's blockHash and bitHash, the same for all filters. */
export function inFilter(filter: BlockFilter, a: number, b: number): boolean {
  const block = blockOf(filter.length / BLOCK_WORDS, a);
  let bits = b;
  for (let i = 0; i < FILTER_PROBES; i++) {
    if ((filter[block + ((bits >>> 5) & 15)]! & (1 << (bits & 31))) === 0) return false;
    bits = nextBits(bits, i);
  }
  return true;
}

const blockOf = (blocks: number, h: number): number => Math.floor(((h >>> 0) / 4294967296) * blocks) * BLOCK_WORDS;

/** Nine bits per probe: three probes use up the word, which is then mixed again. */
const nextBits = (bits: number, probe: number): number => {
  const turned = (bits >>> 9) | (bits << 23);
  return probe === 2 ? mixHash(turned) | 0 : turned;
};
