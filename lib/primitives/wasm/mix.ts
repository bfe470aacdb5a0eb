/** As in lib/shards/hashing/text-hash.ts. */
export function mix(word: u32): u32 {
  let x = (word ^ (word >> 16)) * 0x21f0aaad;
  x = (x ^ (x >> 15)) * 0x735a2d97;
  return x ^ (x >> 15);
}
