/** Percentiles without sorting. */

/**
 * The p-th percentile of values[from] to values[to - 1], linear between the closest ranks (numpy's default). Reorders them.
 * At least one value.
 */
export function percentile(values: Float64Array, from: number, to: number, p: number): number {
  const rank = ((to - from - 1) * p) / 100;
  const below = from + Math.floor(rank);
  select(values, from, to - 1, below);
  const low = values[below]!;
  if (below === to - 1) return low;
  let high = values[below + 1]!;
  for (let i = below + 2; i < to; i++) high = values[i]! < high ? values[i]! : high;
  return low + (high - low) * (rank - Math.floor(rank));
}

/** The n-th greatest of the values, n from 1; NaN counts as less than any. The values stay as they are. */
export function nthGreatest(values: Float64Array, n: number): number {
  const own = values.map((value) => (Number.isNaN(value) ? -Infinity : value));
  select(own, 0, own.length - 1, own.length - n);
  return own[own.length - n]!;
}

const SMALL = 600; // from here a sample tells the pivots

/** Floyd and Rivest: puts the k-th least value at k, smaller ones before it, larger ones after. */
function select(values: Float64Array, left: number, right: number, k: number): void {
  while (right > left) {
    if (right - left > SMALL) sampleAround(values, left, right, k);
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
