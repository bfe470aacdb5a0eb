/** Units, lengths and ranges of time. */
import type { WeekStart } from '../../base/project.ts';

/** `sunday_week`: a week that begins on Sunday; `week` begins on Monday. */
export type TimeUnit = 'hour' | 'day' | 'week' | 'sunday_week' | 'month' | 'quarter' | 'year';

/** Units of cohorts and lifecycles. */
export type CohortUnit = 'day' | 'week' | 'sunday_week' | 'month';

/** As people say it: whatever day a week begins on. */
export const unitWord = (unit: TimeUnit): Exclude<TimeUnit, 'sunday_week'> => (unit === 'sunday_week' ? 'week' : unit);

/** The unit of a word where weeks begin on that day. */
export function unitFrom<U extends TimeUnit>(unit: U, weeks: WeekStart): U | 'sunday_week' {
  return unit === 'week' && weeks === 'sunday' ? 'sunday_week' : unit;
}

/** At whose ends `as of each` looks. */
export const AS_OF_UNITS = ['day', 'week', 'month', 'quarter', 'year'] as const;

export type AsOfUnit = (typeof AS_OF_UNITS)[number];

/** `from <= time < to`, milliseconds since the epoch. */
export interface TimeRange {
  readonly from: number;
  readonly to: number;
  /** The range begins where the project's events do, so its first bucket is complete. */
  readonly all?: true;
}

/** A length of time: `m h d w` are fixed (d = 24 h), `mo q y` step in the calendar of the plan's zone. */
export interface Duration {
  readonly count: number;
  readonly unit: 'm' | 'h' | 'd' | 'w' | 'mo' | 'q' | 'y';
}
