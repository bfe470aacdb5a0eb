/** Percentiles without sorting. */
import { threshold } from '../../base/threshold.ts';

/** From this many values on, a histogram of their leading bits narrows down where a rank is. */
const MANY = threshold('values of a percentile', 4_096);
/** Sign, exponent and the first bit of the fraction of a float: few enough that walking them costs little. */
const LEADING_BITS = 13;
const SHIFT = 16 - LEADING_BITS;

/**
 * The p-th percentile of the values of some runs together, linear between the closest ranks (numpy's default). There must be at
 * least one value. May reorder the values within a run.
 */
export function percentile(runs: readonly Float64Array[], p: number): number {
  const count = runs.reduce((sum, { length }) => sum + length, 0);
  const rank = ((count - 1) * p) / 100;
  const share = rank - Math.floor(rank);
  if (count < MANY.value) return between(joined(runs, count), Math.floor(rank), share);
  const { near, before } = around(runs, Math.floor(rank));
  return between(near, Math.floor(rank) - before, share);
}

/** The n-th greatest of the values, n from 1; NaN counts as less than any. Leaves the values as they are. */
export function nthGreatest(values: Float64Array, n: number): number {
  const own = values.map((value) => (Number.isNaN(value) ? -Infinity : value));
  select(own, 0, own.length - 1, own.length - n);
  return own[own.length - n]!;
}

/** The value at `share` of the way from a rank to the next. */
function between(values: Float64Array, rank: number, share: number): number {
  select(values, 0, values.length - 1, rank);
  const low = values[rank]!;
  if (rank === values.length - 1) return low;
  let high = values[rank + 1]!;
  for (let i = rank + 2; i < values.length; i++) high = values[i]! < high ? values[i]! : high;
  return low + (high - low) * share;
}

/** Reused: percentiles of many groups would allocate them each time. */
const countsByBits = new Uint32Array(1 << LEADING_BITS);
const wantedBits = new Uint8Array(1 << LEADING_BITS);

/** The values whose leading bits are those of the rank or of the next one, and how many values are below these. */
function around(runs: readonly Float64Array[], rank: number): { readonly near: Float64Array; readonly before: number } {
  const counts = countsByBits.fill(0);
  for (const run of runs) countLeading(halvesOf(run), counts);
  let before = 0;
  let low = 0;
  while (before + counts[ordered(low)]! <= rank) before += counts[ordered(low++)]!;
  let high = low;
  for (let upTo = before + counts[ordered(low)]!; upTo <= rank + 1 && high < counts.length - 1;) {
    upTo += counts[ordered(++high)]!;
  }
  const wanted = wantedBits.fill(0);
  let total = 0;
  for (let at = low; at <= high; at++) {
    wanted[ordered(at)] = 1;
    total += counts[ordered(at)]!;
  }
  const near = new Float64Array(total + 1); // the loop also writes where the next one would go
  let length = 0;
  for (const run of runs) length = pickWanted(run, wanted, { near, length });
  return { near: near.subarray(0, total), before };
}

/** The quarters of floats; typed arrays have the lowest byte first, so the last of four has the leading bits. */
function halvesOf(values: Float64Array): Uint16Array {
  return new Uint16Array(values.buffer, values.byteOffset, values.length * 4);
}

function countLeading(halves: Uint16Array, counts: Uint32Array): void {
  for (let at = 3; at < halves.length; at += 4) counts[halves[at]! >>> SHIFT]!++;
}

function pickWanted(
  values: Float64Array,
  wanted: Uint8Array,
  { near, length }: { readonly near: Float64Array; readonly length: number },
): number {
  const halves = halvesOf(values);
  let n = length;
  for (let i = 0; i < values.length; i++) {
    near[n] = values[i]!;
    n += wanted[halves[i * 4 + 3]! >>> SHIFT]!;
  }
  return n;
}

function joined(runs: readonly Float64Array[], count: number): Float64Array {
  if (runs.length === 1) return runs[0]!;
  const values = new Float64Array(count);
  let length = 0;
  for (const run of runs) {
    values.set(run, length);
    length += run.length;
  }
  return values;
}

/** The leading bits that come `nth` in the order of floats: those of negative numbers first, from the largest down. */
function ordered(nth: number): number {
  const half = 1 << (LEADING_BITS - 1);
  return nth < half ? (1 << LEADING_BITS) - 1 - nth : nth - half;
}

/** From this size on, a sample picks the pivots. */
const SMALL = threshold('values around a rank', 600, { least: 8 });

/** Floyd and Rivest: puts the k-th least value at k, smaller ones before it, larger ones after. */
function select(values: Float64Array, first: number, last: number, k: number): void {
  let left = first;
  let right = last;
  while (right > left) {
    if (right - left > SMALL.value) sampleAround(values, left, right, k);
    const pivot = values[k]!;
    let i = left;
    let j = right;
    swap(values, left, k);
    if (values[right]! > pivot) swap(values, left, right);
    while (i < j) {
      swap(values, i, j);
      i++;
      j--;
      while (values[i]! < pivot) i++;
      while (values[j]! > pivot) j--;
    }
    if (values[left] === pivot) swap(values, left, j);
    else swap(values, ++j, right);
    if (j <= k) left = j + 1;
    if (k <= j) right = j - 1;
  }
}

function sampleAround(values: Float64Array, left: number, right: number, k: number): void {
  const n = right - left + 1;
  const m = k - left + 1;
  const z = Math.log(n);
  const s = 0.5 * Math.exp((2 * z) / 3);
  const spread = 0.5 * Math.sqrt((z * s * (n - s)) / n) * (m < n / 2 ? -1 : 1);
  const from = Math.max(left, Math.floor(k - (m * s) / n + spread));
  const to = Math.min(right, Math.floor(k + ((n - m) * s) / n + spread));
  select(values, from, to, k);
}

function swap(values: Float64Array, a: number, b: number): void {
  const held = values[a]!;
  values[a] = values[b]!;
  values[b] = held;
}
