/** Standard deviations of merged groups. */
import { exactSum, lostOf } from './exact-terms.ts';
import type { MergedGroups } from './merge-groups.ts';
import { numbersAsTheyAre, type MetricState, type PartialOf } from './metric-state.ts';
import {
  mergeMoments,
  MOMENTS,
  MomentsAccumulator,
  PLAIN_WINDOW,
  readMoments,
  WINDOW_SCALE,
  WINDOWS,
} from './moments.ts';

/** Of the sample (n - 1); NaN for fewer than two numbers. */
export function mergeDeviations(parts: readonly PartialOf<'moments'>[], { places, count }: MergedGroups): Float64Array {
  const windows = Array.from({ length: WINDOWS }, (_, nth) => {
    if (parts.every(({ windows: own }) => own[nth] === null)) return null;
    const merged = new Float64Array(count * MOMENTS);
    for (const [at, part] of parts.entries()) {
      const moments = part.windows[nth] ?? null;
      if (moments === null) continue;
      places[at]!.forEach((place, group) => mergeMoments(merged, place, moments, group));
    }
    return merged;
  });
  return Float64Array.from({ length: count }, (_, group) => deviation(windows, group));
}

/** In the units of the window of the largest numbers; numbers far below these hardly count. */
function deviation(windows: readonly (Float64Array | null)[], group: number): number {
  const all = windows.map((window) => (window === null ? null : readMoments(window, group)));
  const largest = all.findLastIndex((moments) => moments !== null && moments.squares[0] !== 0);
  let count = 0;
  const sums: number[] = [];
  const squares: number[] = [];
  for (const [nth, moments] of all.entries()) {
    count += moments?.count ?? 0;
    if (moments === null || nth > largest) continue;
    const scale = WINDOW_SCALE ** (nth - largest);
    for (const term of moments.sums) sums.push(term * scale);
    for (const term of moments.squares) squares.push(term * scale * scale);
  }
  if (count < 2) return NaN;
  const root = rootOf(spread(count, sums, squares), count * (count - 1));
  return largest < 0 ? 0 : root * WINDOW_SCALE ** (largest - PLAIN_WINDOW);
}

/** n Σx² - (Σx)² as terms: most digits of the two agree. */
function spread(count: number, sums: readonly number[], squares: readonly number[]): number[] {
  const terms: number[] = [];
  const add = (a: number, b: number, sign: 1 | -1): void => {
    const product = a * b;
    terms.push(sign * product, sign * lostOf(a, b, product));
  };
  for (const square of squares) if (square !== 0) add(count, square, 1);
  for (const one of sums) for (const other of sums) if (one !== 0 && other !== 0) add(one, other, -1);
  return terms;
}

/**
 * The root of a sum over a divisor. Rounding sum, quotient and root one after the other misses the last digit: one step of
 * Newton's method finds it.
 */
function rootOf(terms: readonly number[], divisor: number): number {
  const root = Math.sqrt(Math.max(0, exactSum(terms)) / divisor);
  if (root === 0) return 0;
  const square = root * root;
  const product = square * divisor;
  const lost = lostOf(root, root, square);
  const rest = exactSum([...terms, -product, -lostOf(square, divisor, product), -lost * divisor]);
  return root + rest / (2 * root * divisor);
}

export const momentsState: MetricState<'moments'> = {
  accumulate: (field, { context }) => new MomentsAccumulator(field, context.budget),
  merge: (parts, { groups }) => numbersAsTheyAre(mergeDeviations(parts, groups)),
};
