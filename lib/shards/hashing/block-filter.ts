/** Blocked Bloom filters over keys of 64 bits: a key asks one cache line. One in about a thousand strangers passes. */

import { mix } from './mix.ts';

/** A filter's bits for each key. */
const FILTER_BITS = 16;
const FILTER_PROBES = 6;
const BLOCK_WORDS = 16; // a block is a cache line

/** An empty filter for so many keys. */
export const emptyFilter = (keys: number): Uint32Array<ArrayBuffer> =>
  new Uint32Array(Math.max(1, Math.ceil((keys * FILTER_BITS) / (BLOCK_WORDS * 32))) * BLOCK_WORDS);

/** What places a key in every filter: which block, and which bits of it. Halves may not be even (ids may be counters): both are mixed. */
export const blockHash = (high: number, low: number): number => mix(high ^ Math.imul(low, 0x9e3779b9));
export const bitHash = (low: number, block: number): number => mix(low ^ block);

export function addToFilter(filter: Uint32Array, high: number, low: number): void {
  const a = blockHash(high, low);
  const block = blockOf(filter.length / BLOCK_WORDS, a);
  let b = bitHash(low, a);
  for (let i = 0; i < FILTER_PROBES; i++) {
    filter[block + ((b >>> 5) & 15)]! |= 1 << (b & 31);
    b = nextBits(b, i);
  }
}

/** `a` and `b`: the key's blockHash and bitHash, which are the same for all filters. */
export function inFilter(filter: Uint32Array, a: number, b: number): boolean {
  const block = blockOf(filter.length / BLOCK_WORDS, a);
  let bits = b;
  for (let i = 0; i < FILTER_PROBES; i++) {
    if ((filter[block + ((bits >>> 5) & 15)]! & (1 << (bits & 31))) === 0) return false;
    bits = nextBits(bits, i);
  }
  return true;
}

const blockOf = (blocks: number, h: number): number => Math.floor((h / 4294967296) * blocks) * BLOCK_WORDS;

/** Nine bits a probe: after three of them the rest of the word has been seen. */
const nextBits = (bits: number, probe: number): number => {
  const turned = (bits >>> 9) | (bits << 23);
  return probe === 2 ? mix(turned) : turned;
};
