/** Whether a range has so few buckets that masks of them are small for every person. */
import { DAY } from '../../dsl/time/calendar.ts';
import type { TimeRange } from '../../dsl/time/units.ts';
import { threshold } from '../../base/threshold.ts';

/** About four words per person: the days of a quarter fit, and a part's masks are sent and merged in a few milliseconds. */
const MOST_BUCKETS = threshold('buckets of masks', 124, { most: 1_000 });
const LENGTH = { day: DAY, week: 7 * DAY, month: 28 * DAY };

export function fitsMasks(range: TimeRange, unit: keyof typeof LENGTH): boolean {
  return (range.to - range.from) / LENGTH[unit] <= MOST_BUCKETS.value;
}
