/** How many events each of many projects has. */

/**
 * Sizes from `most` down to `least`, the nth proportional to a power of n: a few are large, most are small.
 */
export function powerLaw(count: number, least: number, most: number): number[] {
  const exponent = count > 1 ? Math.log(most / least) / Math.log(count) : 0;
  return Array.from({ length: count }, (_, nth) => Math.round(most / (nth + 1) ** exponent));
}
