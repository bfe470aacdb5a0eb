/** Which value occurred most often in each group. */
import type { PairCounts } from './pair-counts.ts';

/** No value at all. */
export const NO_PAIR = -1;

export interface CountedTexts {
  /** How often each (group, value) occurred; 0 counts as absent. */
  readonly pairs: Pick<PairCounts, 'size' | 'first' | 'second' | 'count'>;
  readonly groups: number;
  /** Maps the first part of a pair to its group. */
  readonly groupOf: (first: number) => number;
  /** Compares two second parts by their texts. */
  readonly compare: (a: number, b: number) => number;
}

/** By group: the pair that occurred most often, among several the one whose text is first by code point; NO_PAIR for none. */
export function mostFrequent({ pairs, groups, groupOf, compare }: CountedTexts): Int32Array {
  const most = new Float64Array(groups);
  for (let pair = 0; pair < pairs.size; pair++) {
    const group = groupOf(pairs.first(pair));
    most[group] = Math.max(most[group]!, pairs.count(pair));
  }
  const ties: number[] = [];
  for (let pair = 0; pair < pairs.size; pair++) {
    const count = pairs.count(pair);
    if (count > 0 && count === most[groupOf(pairs.first(pair))]) ties.push(pair);
  }
  // In order of codes: neighbours in a dictionary lie together, and few of its chunks may be in memory.
  if (ties.length > groups) ties.sort((a, b) => pairs.second(a) - pairs.second(b));
  const best = new Int32Array(groups).fill(NO_PAIR);
  for (const pair of ties) {
    const group = groupOf(pairs.first(pair));
    const before = best[group]!;
    if (before === NO_PAIR || compare(pairs.second(pair), pairs.second(before)) < 0) best[group] = pair;
  }
  return best;
}
