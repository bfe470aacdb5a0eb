/** Mixes a word so that each of its bits affects about half of the result ("lowbias32" by Chris Wellons), without collisions. */
export function mix(word: number): number {
  let x = Math.imul(word ^ (word >>> 16), 0x21f0aaad);
  x = Math.imul(x ^ (x >>> 15), 0x735a2d97);
  return (x ^ (x >>> 15)) >>> 0;
}
