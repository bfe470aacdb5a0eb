/** A word whose every bit has changed about half of the bits ("lowbias32" of Chris Wellons): no two words give the same. */
export function mix(word: number): number {
  let x = Math.imul(word ^ (word >>> 16), 0x21f0aaad);
  x = Math.imul(x ^ (x >>> 15), 0x735a2d97);
  return (x ^ (x >>> 15)) >>> 0;
}
