/** Times as sent → milliseconds since the epoch. */

const MINUTE = 60_000;
const HOUR = 3_600_000;
const DAY = 86_400_000;

/** Smaller numbers are seconds, others milliseconds: as milliseconds the limit is in 1973, as seconds in the year 5138. */
const SECONDS_BELOW = 1e11;

/** Years 0000 to 9999, the range of RFC 3339. */
export const FIRST_TIME: number = Date.parse('0000-01-01T00:00:00.000Z');
export const LAST_TIME: number = Date.parse('9999-12-31T23:59:59.999Z');

/** Longer texts are not times; this bounds the work on hostile ones. UTF-16 units. */
const MAX_TEXT = 64;

/** Date with an optional time of day, fraction and offset. Without separators it is ISO 8601's basic form. */
const ISO =
  /^(\d{4})(-?)(\d\d)\2(\d\d)(?:[Tt ](\d\d)(?:(:?)(\d\d)(?:\6(\d\d)(?:[.,](\d+))?)?)? ?([Zz]|[+-]\d\d(?::?\d\d)?)?)?$/;

/** A number as text: at least nine digits, so it cannot be a date. */
const EPOCH = /^-?\d{9,}(?:\.\d+)?$/;

/**
 * The time that a value means, in milliseconds since the epoch; null if none: a text of ISO 8601 or RFC 3339 (with or without
 * time of day, fraction and offset; UTC by default; cut to whole milliseconds), or a number of seconds (below 1e11) or
 * milliseconds since the epoch. A date that does not exist is not a time.
 */
export function parseTime(value: unknown): number | null {
  if (typeof value === 'number') return timeOfNumber(value);
  if (typeof value !== 'string' || value.length > MAX_TEXT) return null;
  const text = value.trim();
  const parts = ISO.exec(text);
  if (parts === null) return EPOCH.test(text) ? timeOfNumber(Number(text)) : null;
  const [, year, , month, day, hour = '0', , minute = '0', second = '0', fraction = '', zone = 'Z'] = parts;
  const date = dateTime(Number(year), Number(month), Number(day));
  const clock = clockTime(Number(hour), Number(minute), Number(second), Number(fraction.slice(0, 3).padEnd(3, '0')));
  return inRange(date + clock - offsetTime(zone));
}

/**
 * Like `parseTime` of the text bytes[start, end) if it has exactly the form `YYYY-MM-DDTHH:MM:SS`, an optional fraction, and `Z`
 * or `±HH:MM`; NaN for any other form. No allocation.
 */
export function parseTimeBytes(bytes: Uint8Array, start: number, end: number): number {
  if (end - start < 20 || end - start > MAX_TEXT || end > bytes.length) return NaN;
  if (
    bytes[start + 4] !== 0x2d ||
    bytes[start + 7] !== 0x2d ||
    bytes[start + 10] !== 0x54 ||
    bytes[start + 13] !== 0x3a ||
    bytes[start + 16] !== 0x3a
  ) {
    return NaN;
  }
  const year = twoDigits(bytes, start) * 100 + twoDigits(bytes, start + 2);
  const date = dateTime(year, twoDigits(bytes, start + 5), twoDigits(bytes, start + 8));
  const minute = twoDigits(bytes, start + 14);
  const second = twoDigits(bytes, start + 17);
  let at = start + 19;
  let fraction = 0;
  if (bytes[at] === 0x2e) {
    let scale = 100;
    const point = at++;
    for (; at < end && isDigit(bytes[at]!); at++) {
      fraction += (bytes[at]! - 0x30) * scale;
      scale = scale === 100 ? 10 : scale === 10 ? 1 : 0;
    }
    if (at === point + 1) return NaN;
  }
  const clock = clockTime(twoDigits(bytes, start + 11), minute, second, fraction);
  const time = date + clock - zoneBytes(bytes, at, end);
  return time >= FIRST_TIME && time <= LAST_TIME ? time : NaN;
}

/** Like `parseTime` of a number. */
export function timeOfNumber(value: number): number | null {
  return inRange(Math.floor(Math.abs(value) < SECONDS_BELOW ? value * 1000 : value) + 0); // + 0: -0 becomes 0
}

/** Milliseconds by which the zone bytes[at, end) is ahead of UTC; NaN if it is no zone. */
function zoneBytes(bytes: Uint8Array, at: number, end: number): number {
  if (end - at === 1 && bytes[at] === 0x5a) return 0;
  if (end - at !== 6 || bytes[at + 3] !== 0x3a) return NaN;
  const sign = bytes[at] === 0x2b ? 1 : bytes[at] === 0x2d ? -1 : NaN;
  return sign * offsetOf(twoDigits(bytes, at + 1), twoDigits(bytes, at + 4));
}

/** A two-digit number; NaN if the bytes are not digits. */
function twoDigits(bytes: Uint8Array, at: number): number {
  const tens = bytes[at]! - 0x30;
  const ones = bytes[at + 1]! - 0x30;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : NaN;
}

export function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
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
  return (y * 365 + leapDays + DAYS_BEFORE[month]! + day - 719_469) * DAY;
}

/**
 * Milliseconds since midnight; 24:00 is the end of the day, and a leap second (:59:60) the first of the next minute, as in Unix
 * time; NaN if there is no such time.
 */
function clockTime(hour: number, minute: number, second: number, millisecond: number): number {
  const time = hour * HOUR + minute * MINUTE + second * 1000 + millisecond;
  const isClock = minute <= 59 && (second <= 59 || (second === 60 && minute === 59));
  return isClock && (hour <= 23 || time === DAY) ? time : NaN;
}

/** Milliseconds by which the zone `Z`, `±HH`, `±HHMM` or `±HH:MM` is ahead of UTC. */
function offsetTime(zone: string): number {
  if (zone === 'Z' || zone === 'z') return 0;
  const ahead = offsetOf(Number(zone.slice(1, 3)), Number(zone.slice(3).replace(':', '') || '0'));
  return zone.startsWith('-') ? -ahead : ahead;
}

function offsetOf(hours: number, minutes: number): number {
  return hours <= 23 && minutes <= 59 ? hours * HOUR + minutes * MINUTE : NaN;
}
