/** Percentiles without sorting. */
import { interpolate } from '../../base/interpolate.ts';
import { memoryAt, floatsAt, Lease, primitives, Scratch, wordsAt } from '../../primitives/memory.ts';
import { LEADING_BITS } from '../../primitives/primitives.ts';
import { threshold } from '../../base/threshold.ts';
import { BLOCK_ROWS } from '../check-every.ts';

/** From this many values on, a histogram of their leading bits narrows down where a rank is. */
const MANY = threshold('values of a percentile', 4_096);

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
  using lease = new Lease();
  const own = lease.floats(values.length);
  own.set(values);
  for (let at = 0; at < own.length; at++) if (Number.isNaN(own[at]!)) own[at] = -Infinity;
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
  return interpolate(low, high, share);
}

const BITS = 1 << LEADING_BITS;

/** Reused: percentiles of many groups would allocate them each time. */
const rooms = { counts: new Scratch(), wanted: new Scratch(), values: new Scratch(), picked: new Scratch() };

/** The values whose leading bits are those of the rank or of the next one, and how many values are below these. */
function around(runs: readonly Float64Array[], rank: number): { readonly near: Float64Array; readonly before: number } {
  const address = rooms.counts.of(BITS * 4);
  const counts = wordsAt(address, BITS).fill(0);
  eachBlock(runs, (values, count) => primitives.countLeading(values, count, address));
  let before = 0;
  let low = 0;
  while (before + counts[ordered(low)]! <= rank) before += counts[ordered(low++)]!;
  let high = low;
  for (let upTo = before + counts[ordered(low)]!; upTo <= rank + 1 && high < counts.length - 1;) {
    upTo += counts[ordered(++high)]!;
  }
  const wanted = rooms.wanted.of(BITS);
  const isWanted = memoryAt(wanted, BITS).fill(0);
  let total = 0;
  for (let at = low; at <= high; at++) {
    isWanted[ordered(at)] = 1;
    total += counts[ordered(at)]!;
  }
  const near = new Float64Array(total);
  const picked = rooms.picked.of((BLOCK_ROWS + 1) * 8); // the primitive also writes where the next one would go
  let length = 0;
  eachBlock(runs, (values, count) => {
    const found = primitives.pickLeading(values, count, wanted, picked);
    near.set(floatsAt(picked, found), length);
    length += found;
  });
  return { near, before };
}

/** Calls `use` with the address and the number of values of each block, in memory that the next block reuses. */
function eachBlock(runs: readonly Float64Array[], use: (values: number, count: number) => void): void {
  const address = rooms.values.of(BLOCK_ROWS * 8);
  for (const run of runs) {
    for (let from = 0; from < run.length; from += BLOCK_ROWS) {
      const block = run.subarray(from, from + BLOCK_ROWS);
      floatsAt(address, block.length).set(block);
      use(address, block.length);
    }
  }
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
