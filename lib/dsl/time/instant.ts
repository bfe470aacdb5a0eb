/** A moment as text: `2026-01-31`, `2026-01-31T10:00[:00[.123]]` with an optional `Z` or offset. */
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../base/day.ts';
import { daysInMonth, localDate } from './calendar.ts';
import { utcOfLocal, type Zone } from './zone.ts';

const SHAPE = /^(\d{4})-(\d\d)-(\d\d)(?:[Tt](\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?(?:([Zz])|([+-])(\d\d):?(\d\d))?)?$/;

/**
 * Milliseconds since the epoch, finer parts cut; null if it is not a moment (an unknown shape, a day that the month lacks).
 * Without `Z` or offset it is the zone's wall clock; a date is its midnight.
 */
export function parseInstant(text: string, zone: Zone): number | null {
  const match = SHAPE.exec(text);
  if (match === null) return null;
  const number = (group: number): number => Number(match[group] ?? 0);
  const [year, month, day] = [number(1), number(2), number(3)];
  const [hour, minute, second] = [number(4), number(5), number(6)];
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return null;
  if (hour > 23 || minute > 59 || second > 59) return null;
  const millisecond = Number((match[7] ?? '').slice(0, 3).padEnd(3, '0'));
  const local = localDate(year, month, day) + hour * HOUR_MS + minute * MINUTE_MS + second * SECOND_MS + millisecond;
  const offset = match[8] !== undefined ? 0 : offsetOf(match);
  if (offset === null) return utcOfLocal(zone, local);
  return Math.abs(offset) < DAY_MS ? local - offset : null;
}

/** Milliseconds, or null if there is no offset. */
function offsetOf(match: RegExpExecArray): number | null {
  if (match[9] === undefined) return null;
  const minutes = Number(match[11]);
  const size = minutes > 59 ? Infinity : Number(match[10]) * HOUR_MS + minutes * MINUTE_MS;
  return match[9] === '-' ? -size : size;
}
