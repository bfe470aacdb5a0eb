/** Times as people and programs write them → milliseconds since the epoch. */
import { DAY_MS, HOUR_MS, MINUTE_MS } from './day.ts';

/** Years 0000 to 9999, the range of RFC 3339. */
export const FIRST_TIME: number = Date.parse('0000-01-01T00:00:00.000Z');
const LAST_TIME: number = Date.parse('9999-12-31T23:59:59.999Z');

/** Longer texts are not times; this bounds the work on hostile ones. UTF-16 units. */
const MAX_TIME_TEXT = 64;

/** Date with an optional time of day, fraction and zone. Without separators it is ISO 8601's basic form. */
const ISO =
  /^(\d{4})(-?)(\d\d)\2(\d\d)(?:[Tt ](\d\d)(?:(:?)(\d\d)(?:\6(\d\d)(?:[.,](\d+))?)?)? ?([Zz]|UTC|GMT|[+-]\d\d(?::?\d\d)?)?)?$/;

/** RFC 2822, without comments and the names of American zones. */
const RFC_2822 =
  /^(?:([A-Z][a-z]{2}), ?)?(\d\d?) ([A-Z][a-z]{2}) (\d{4}) (\d\d):(\d\d)(?::(\d\d))? (Z|UT|UTC|GMT|[+-]\d{4})$/;
const DAYS_OF_WEEK = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** A number as text: at least nine digits, so it cannot be a date. */
const EPOCH = /^-?\d{9,}(?:\.\d+)?$/;

/**
 * The time that a value means, in milliseconds since the epoch; null if none, or none of the years 0000 to 9999: a text of ISO 8601 or
 * RFC 3339 (with or without time of day, fraction and offset; UTC by default; cut to whole milliseconds) or of RFC 2822, or a
 * number since the epoch. A date that does not exist is not a time.
 */
export function readTime(value: unknown): number | null {
  if (typeof value === 'number' || typeof value === 'bigint') return timeOfNumber(Number(value));
  if (typeof value !== 'string' || value.length > MAX_TIME_TEXT) return null;
  const text = value.trim();
  return EPOCH.test(text) ? timeOfNumber(Number(text)) : (timeOfIso(text) ?? timeOfMail(text));
}

/** Like `readTime` of a number. */
function timeOfNumber(value: number): number | null {
  return inRange(Math.floor(milliseconds(value)) + 0); // + 0: -0 becomes 0
}

/** Numbers are seconds, milliseconds, microseconds or nanoseconds by their magnitude: each ends in the year 5138. */
function milliseconds(value: number): number {
  const size = Math.abs(value);
  if (size < 1e11) return value * 1e3;
  if (size < 1e14) return value;
  return size < 1e17 ? value / 1e3 : value / 1e6;
}

function timeOfIso(text: string): number | null {
  const parts = ISO.exec(text);
  if (parts === null) return null;
  const [, year, , month, day, hour = '0', , minute = '0', second = '0', fraction = '', zone = 'Z'] = parts;
  const date = dateTime(Number(year), Number(month), Number(day));
  const clock = clockTime(Number(hour), Number(minute), Number(second), Number(fraction.slice(0, 3).padEnd(3, '0')));
  return inRange(date + clock - offsetTime(zone));
}

function timeOfMail(text: string): number | null {
  const parts = RFC_2822.exec(text);
  if (parts === null) return null;
  const [, weekday, day, month = '', year, hour, minute, second = '0', zone = 'Z'] = parts;
  const date = dateTime(Number(year), MONTHS.indexOf(month) + 1, Number(day));
  if (weekday !== undefined && DAYS_OF_WEEK[new Date(date).getUTCDay()] !== weekday) return null;
  return inRange(date + clockTime(Number(hour), Number(minute), Number(second), 0) - offsetTime(zone));
}

function inRange(time: number): number | null {
  return time >= FIRST_TIME && time <= LAST_TIME ? time : null;
}

/** Days before each month of a common year, counted from March: a year that begins in March ends with its leap day. */
const DAYS_BEFORE = Uint16Array.of(0, 306, 337, 0, 31, 61, 92, 122, 153, 184, 214, 245, 275);
const DAYS_IN_MONTH = Uint8Array.of(0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31);

/** Midnight of a date in UTC, proleptic Gregorian; NaN if the date does not exist. */
function dateTime(year: number, month: number, day: number): number {
  if (!(month >= 1 && month <= 12 && day >= 1)) return NaN;
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  if (day > DAYS_IN_MONTH[month]! + (leap && month === 2 ? 1 : 0)) return NaN;
  const y = month > 2 ? year : year - 1;
  const leapDays = Math.floor(y / 4) - Math.floor(y / 100) + Math.floor(y / 400);
  return (y * 365 + leapDays + DAYS_BEFORE[month]! + day - 719_469) * DAY_MS;
}

/**
 * Milliseconds since midnight; 24:00 is the end of the day, and a leap second (:59:60) the first of the next minute, as in Unix
 * time; NaN if there is no such time.
 */
function clockTime(hour: number, minute: number, second: number, millisecond: number): number {
  const time = hour * HOUR_MS + minute * MINUTE_MS + second * 1000 + millisecond;
  const isClock = minute <= 59 && (second <= 59 || (second === 60 && minute === 59));
  return isClock && (hour <= 23 || time === DAY_MS) ? time : NaN;
}

/** Milliseconds by which the zone `±HH`, `±HHMM` or `±HH:MM` is ahead of UTC; 0 for its names. */
function offsetTime(zone: string): number {
  if (!/^[+-]/.test(zone)) return 0;
  const ahead = offsetOf(Number(zone.slice(1, 3)), Number(zone.slice(3).replace(':', '') || '0'));
  return zone.startsWith('-') ? -ahead : ahead;
}

function offsetOf(hours: number, minutes: number): number {
  return hours <= 23 && minutes <= 59 ? hours * HOUR_MS + minutes * MINUTE_MS : NaN;
}
