/**
 * The Gregorian calendar without zones. A *local time* is a number: the milliseconds that a UTC clock would count if it showed
 * the same wall clock time.
 */
import { DAY_MS } from '../../base/day.ts';
import type { TimeUnit } from './units.ts';

/** Midnight of a day as local time, month from 1; parts out of range carry over. NaN outside the years that a Date can hold. */
export function localDate(year: number, month: number, day: number): number {
  // Date.UTC reads the years 0 to 99 as 1900 to 1999; setUTCFullYear does not.
  return new Date(0).setUTCFullYear(year, month - 1, day);
}

/** The number of days in a month (1 to 12) of a year. */
export function daysInMonth(year: number, month: number): number {
  return new Date(localDate(year, month + 1, 0)).getUTCDate();
}

/** The local midnight that starts the day, the week (Monday), the month, … around a local time. */
export function floorLocal(unit: Exclude<TimeUnit, 'hour'>, local: number): number {
  const day = Math.floor(local / DAY_MS);
  if (unit === 'day') return day * DAY_MS;
  if (unit === 'week') return (day - mod(day + 3, 7)) * DAY_MS; // 1970-01-01 was a Thursday
  if (unit === 'sunday_week') return (day - mod(day + 4, 7)) * DAY_MS;
  return firstOfMonth(local, MONTHS[unit]);
}

/** The local midnight that starts the unit after the one that starts at `local`. */
export function nextLocal(unit: Exclude<TimeUnit, 'hour'>, local: number): number {
  if (unit === 'day') return local + DAY_MS;
  return unit === 'week' || unit === 'sunday_week' ? local + 7 * DAY_MS : addMonths(local, MONTHS[unit]);
}

const MONTHS = { month: 1, quarter: 3, year: 12 } as const;

/** Steps by months; a day that the month lacks becomes its last, the time of day stays. NaN outside the years of a Date. */
export function addMonths(local: number, months: number): number {
  const date = new Date(local);
  const index = localMonths(local) + months;
  const year = Math.floor(index / 12);
  const month = mod(index, 12) + 1;
  const day = Math.min(date.getUTCDate(), daysInMonth(year, month));
  return localDate(year, month, day) + mod(local, DAY_MS);
}

/** Months since year 0 of a local time. */
export function localMonths(local: number): number {
  const date = new Date(local);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}

/** `2026-11-20` of a local time. */
export function dateText(local: number): string {
  const text = new Date(local).toISOString();
  return text.slice(0, text.indexOf('T'));
}

function firstOfMonth(local: number, step: 1 | 3 | 12): number {
  const date = new Date(local);
  const month = date.getUTCMonth();
  return localDate(date.getUTCFullYear(), month - (month % step) + 1, 1);
}

function mod(a: number, b: number): number {
  return ((a % b) + b) % b;
}
