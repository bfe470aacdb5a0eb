/** Which value came most often in each group. */
import type { PairCounts } from './pair-counts.ts';

/** No value at all. */
export const NO_PAIR = -1;

export interface CountedTexts {
  /** How often each (group, value) came. */
  readonly pairs: PairCounts;
  readonly groups: number;
  /** The group of the first part of a pair. */
  readonly groupOf: (first: number) => number;
  /** The order of two second parts by their texts. */
  readonly compare: (a: number, b: number) => number;
}

/** By group: the pair that came most often, of several the one whose text is first by code point; NO_PAIR of none. */
export function mostFrequent({ pairs, groups, groupOf, compare }: CountedTexts): Int32Array {
  const best = new Int32Array(groups).fill(NO_PAIR);
  for (let pair = 0; pair < pairs.size; pair++) {
    const group = groupOf(pairs.first(pair));
    const before = best[group]!;
    const more = before === NO_PAIR ? 1 : pairs.count(pair) - pairs.count(before);
    if (more > 0 || (more === 0 && compare(pairs.second(pair), pairs.second(before)) < 0)) {
      best[group] = pair;
    }
  }
  return best;
}
