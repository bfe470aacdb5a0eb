import { DAY_MS } from '../../base/day.ts';
import { readTime } from '../../base/read-time.ts';
import { UsageError } from '../command.ts';

/** Throws UsageError for a time that is none, or that no event can have yet: the server would take the time of arrival. */
export function checkTime(time: string | undefined): void {
  if (time === undefined) return;
  const read = readTime(time);
  if (read === null)
    throw new UsageError(`--time ${time} is no time: it takes one like 2026-01-31T12:00:00Z, or seconds since 1970`);
  if (read > Date.now() + DAY_MS) throw new UsageError(`--time ${time} is no time yet: it lies over 24 hours ahead`);
}
