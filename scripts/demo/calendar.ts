/** When the demo's people are awake, at work and on the site. */
import type { Place } from './places.ts';
import { Choice, type Random } from './random.ts';

export const DAY = 86_400_000;
const HOUR = 3_600_000;

/** Sunday to Saturday: people plan work on workdays. */
const APP_WEEK = [0.12, 1, 1.05, 1.02, 0.98, 0.8, 0.15];
const SITE_WEEK = [0.55, 1, 1.08, 1.05, 1, 0.85, 0.5];

/** Local hours of using the app: mornings and early afternoons, a dip at lunch. */
const workHours = new Choice<number>([[7, 2], [8, 7], [9, 14], [10, 14], [11, 11], [12, 5], [13, 10], [14, 13], [15, 11], [16, 8], [17, 4], [20, 1]]); // prettier-ignore
/** Local hours of visiting the site: office hours and evenings. */
const freeHours = new Choice<number>([[7, 3], [8, 5], [9, 7], [10, 8], [11, 8], [12, 8], [13, 7], [14, 7], [15, 7], [16, 6], [17, 6], [18, 5], [19, 6], [20, 8], [21, 7], [22, 4], [23, 2]]); // prettier-ignore

/** How busy the app or the site is on a day (UTC midnight), 1 on an ordinary workday. */
export function busyness(kind: 'app' | 'site', day: number): number {
  return (kind === 'app' ? APP_WEEK : SITE_WEEK)[new Date(day).getUTCDay()]!;
}

/** A moment in someone's local day, milliseconds since the epoch. */
export function momentOf(kind: 'app' | 'site', day: number, place: Place, random: Random): number {
  const hour = (kind === 'app' ? workHours : freeHours).draw(random);
  return day + (hour - place.offset) * HOUR + random.below(HOUR);
}
