/** Whether a range has so few buckets that masks of them are small for every person. */
import type { TimeRange } from '../../dsl/time/units.ts';
import { threshold } from '../../base/threshold.ts';

/** About four words per person: the days of a quarter fit, and a part's masks are sent and merged in a few milliseconds. */
const MOST_BUCKETS = threshold('buckets of masks', 124, { most: 1_000 });
const LENGTH = { day: 86_400_000, week: 7 * 86_400_000, month: 28 * 86_400_000 };

export function fitsMasks(range: TimeRange, unit: keyof typeof LENGTH): boolean {
  return (range.to - range.from) / LENGTH[unit] <= MOST_BUCKETS.value;
}
