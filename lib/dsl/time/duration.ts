/** Adds durations to times. */
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../base/day.ts';
import type { Duration } from './units.ts';
import { addMonths } from './calendar.ts';
import { utcOfLocal, type Zone } from './zone.ts';

/** Times stay within this, a few years short of what a Date can hold, so that zone and calendar can still be applied. */
export const MAX_TIME = 8.5e15;

/**
 * `time` plus (sign 1) or minus (-1) a duration, in milliseconds. `m h d w` are lengths in any zone; `mo q y` step in the zone's
 * calendar and keep its wall clock, and a day that the month lacks becomes its last. Results beyond ±MAX_TIME become that bound.
 */
export function addDuration(time: number, duration: Duration, zone: Zone, sign: 1 | -1): number {
  const moved = move(time, duration, zone, sign);
  const bounded = Number.isNaN(moved) ? sign * MAX_TIME : moved;
  return Math.min(Math.max(bounded, -MAX_TIME), MAX_TIME);
}

/** `time` minus a duration, of which days and weeks, too, step in the zone's calendar: the wall clock stays, as far as it exists. */
export function stepBack(time: number, duration: Duration, zone: Zone): number {
  const { count, unit } = duration;
  if (unit !== 'd' && unit !== 'w') return addDuration(time, duration, zone, -1);
  const local = time + zone.offsetAt(time) - count * (unit === 'd' ? DAY_MS : 7 * DAY_MS);
  return Math.abs(local) < MAX_TIME ? utcOfLocal(zone, local) : -MAX_TIME;
}

/** Milliseconds of a fixed-length duration; null if the length depends on the calendar. */
export function fixedLength({ count, unit }: Duration): number | null {
  const length = LENGTHS[unit];
  return length === null ? null : count * length;
}

const LENGTHS = { m: MINUTE_MS, h: HOUR_MS, d: DAY_MS, w: 7 * DAY_MS, mo: null, q: null, y: null };
/** Months of the units that step in the calendar. */
export const MONTHS = { mo: 1, q: 3, y: 12 };

function move(time: number, duration: Duration, zone: Zone, sign: 1 | -1): number {
  const { count, unit } = duration;
  if (unit === 'mo' || unit === 'q' || unit === 'y') {
    return utcOfLocal(zone, addMonths(time + zone.offsetAt(time), sign * count * MONTHS[unit]));
  }
  const length = fixedLength(duration);
  return length === null ? NaN : time + sign * length;
}
