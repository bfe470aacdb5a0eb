/**
 * Sums that lose nothing: a sum is kept as several floats that add up to it exactly, each holding what rounding took from the one
 * before. The last one rounds, but far below what a float can show. (Ogita, Rump and Oishi, Accurate Sum and Dot Product.)
 */

/** Adds a number to the sum kept in sums[at] and the following floats up to sums[last], the largest first. */
export function addExactly(sums: Float64Array, at: number, last: number, value: number): void {
  let rest = value;
  for (let term = at; term < last; term++) {
    const sum = sums[term]!;
    const next = sum + rest;
    const share = next - sum;
    sums[term] = next;
    rest = sum - (next - share) + (rest - share);
    if (rest === 0) return;
  }
  sums[last]! += rest;
}

/** 2 ** 27 + 1: splits a float into halves whose products are exact (Dekker). */
const SPLITTER = 134_217_729;

/** What rounding took from the product of two numbers, both far from the limits of floats. */
export function lostOf(a: number, b: number, product: number): number {
  const scaledA = SPLITTER * a;
  const highA = scaledA - (scaledA - a);
  const lowA = a - highA;
  const scaledB = SPLITTER * b;
  const highB = scaledB - (scaledB - b);
  const lowB = b - highB;
  return highA * highB - product + highA * lowB + lowA * highB + lowA * lowB;
}

/** The sum of all values, rounded once: partial sums that do not overlap (Shewchuk). */
export function exactSum(values: readonly number[]): number {
  const partials: number[] = [];
  for (const value of values) {
    let rest = value;
    let kept = 0;
    for (let at = 0; at < partials.length; at++) {
      const partial = partials[at]!;
      const sum = rest + partial;
      const share = sum - rest;
      const lost = rest - (sum - share) + (partial - share);
      if (lost !== 0) partials[kept++] = lost;
      rest = sum;
    }
    partials.length = kept;
    partials.push(rest);
  }
  return partials.reduceRight((sum, partial) => sum + partial, 0);
}
