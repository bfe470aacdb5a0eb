/** The most frequent values of merged groups. */
import { compareCodePoints } from '../../dsl/plan/value.ts';
import type { Budget } from '../budget.ts';
import { TextIds, type MergedGroups } from './merge-groups.ts';
import { unpackTexts } from './metric-partial.ts';
import type { MetricState, PartialOf } from './metric-state.ts';
import { ModeAccumulator } from './mode.ts';
import { mostFrequent, NO_PAIR } from './most-frequent.ts';
import { PairCounts } from './pair-counts.ts';

/** null for a group without a value. */
function mergeModes(
  parts: readonly PartialOf<'mode'>[],
  { places, count }: MergedGroups,
  budget: Budget,
): (string | null)[] {
  const texts = new TextIds();
  const pairs = new PairCounts(budget);
  for (const [at, part] of parts.entries()) {
    const ids = texts.take(unpackTexts(part.texts));
    for (let k = 0; k < part.groups.length; k++) {
      pairs.add(places[at]![part.groups[k]!]!, ids[part.ids[k]! + 1]!, part.counts[k]!);
    }
  }
  const textOf = (id: number): string => texts.text(id) ?? '';
  const compare = (a: number, b: number): number => compareCodePoints(textOf(a), textOf(b));
  const best = mostFrequent({ pairs, groups: count, groupOf: (group) => group, compare });
  return Array.from(best, (pair) => (pair === NO_PAIR ? null : textOf(pairs.second(pair))));
}

export const modeState: MetricState<'mode'> = {
  accumulate: (field, { slots, context, shared }) => new ModeAccumulator(field, slots, context, shared),
  merge: (parts, { groups, limits }) => {
    const texts = mergeModes(parts, groups, limits.budget);
    return () => texts;
  },
};
