/** Options of one event that the server would not take as they are meant: it would store the event all the same. */
import { UsageError } from '../command.ts';
import { isNothing } from './insert-id.ts';

const DATE = /^(\d{4})-?(\d\d)-?(\d\d)(?:$|[Tt ]\d)/;
/** Seconds or milliseconds since the epoch. */
const EPOCH = /^-?\d{9,}(?:\.\d+)?$/;

/** Throws UsageError for a time that is none: the server would take the time of arrival. */
export function checkTime(time: string | undefined): void {
  if (time === undefined || EPOCH.test(time.trim())) return;
  const [, year, month, day] = DATE.exec(time.trim()) ?? [];
  const date = new Date(`${year}-${month}-${day}T00:00:00Z`);
  if (!Number.isNaN(date.getTime()) && date.getUTCDate() === Number(day)) return;
  throw new UsageError(`--time ${time} is no time: it takes one like 2026-01-31T12:00:00Z, or seconds since 1970`);
}

/** Throws UsageError for an id that the server takes as missing. */
export function checkIds(ids: Readonly<Record<string, string | undefined>>): void {
  for (const [name, id] of Object.entries(ids)) {
    if (id === undefined || !(isNothing(id) || id.trim() === '')) continue;
    throw new UsageError(`--${name} "${id}" counts as missing; leave the option out if there is no id`);
  }
}
