/** Parts of the calendar that come again: days of the week, hours of the day, days of the month, months of the year. */
import { HOUR_MS } from '../../base/day.ts';
import type { TimeUnit } from './units.ts';
import { floorLocal } from './calendar.ts';
import type { Zone } from './zone.ts';

const two = (n: number): string => String(n).padStart(2, '0');
const range = (first: number, last: number): string[] =>
  Array.from({ length: last - first + 1 }, (_, at) => two(first + at));

interface PartTraits {
  /** Buckets of this unit have one part each. */
  readonly unit: Exclude<TimeUnit, 'quarter' | 'year'>;
  /** As printed, in the order of the calendar. */
  readonly labels: readonly string[];
  /** The place among the labels, by the date whose local time a UTC clock shows. */
  readonly of: (date: Date) => number;
}

const TRAITS = {
  weekday: {
    unit: 'day',
    labels: ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'],
    of: (date) => (date.getUTCDay() + 6) % 7,
  },
  hour_of_day: { unit: 'hour', labels: range(0, 23), of: (date) => date.getUTCHours() },
  day_of_month: { unit: 'day', labels: range(1, 31), of: (date) => date.getUTCDate() - 1 },
  month_of_year: {
    unit: 'month',
    labels: [
      ...['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October'],
      ...['November', 'December'],
    ],
    of: (date) => date.getUTCMonth(),
  },
} as const satisfies Readonly<Record<string, PartTraits>>;

export type CalendarPart = keyof typeof TRAITS;

export const CALENDAR_PARTS: Readonly<Record<CalendarPart, PartTraits>> = TRAITS;

const isPart = (word: string): word is CalendarPart => Object.hasOwn(TRAITS, word);

/** Words of parts. */
export const PARTS: readonly CalendarPart[] = Object.keys(TRAITS).filter(isPart);

/** The part of a word in any case, or null. */
export function readPart(word: string): CalendarPart | null {
  const lower = word.toLowerCase();
  return isPart(lower) ? lower : null;
}

/** The place among its labels of the bucket that begins at `start`, which is of the part's unit: that of its nominal date. */
export function partOfBucket(zone: Zone, part: CalendarPart, start: number): number {
  const { unit, of } = CALENDAR_PARTS[part];
  const local = start + zone.offsetAt(start);
  return of(new Date(unit === 'hour' ? Math.floor(local / HOUR_MS) * HOUR_MS : floorLocal(unit, local)));
}

/** Labels that do not sort as text, by their place in the calendar. */
const RANKS: ReadonlyMap<string, number> = new Map(
  [TRAITS.weekday, TRAITS.month_of_year].flatMap(({ labels }) => labels.map((label, at) => [label, at] as const)),
);

/** Negative if the label comes before the other in the calendar; 0 for texts that are no such labels. */
export const compareParts = (a: string, b: string): number => (RANKS.get(a) ?? 0) - (RANKS.get(b) ?? 0);
