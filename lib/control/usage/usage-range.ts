import { AppError } from '../../base/errors.ts';
import { DAY_MS, isDay, utcDay } from '../../base/day.ts';

const MAX_DAYS = 366;

/** UTC days, YYYY-MM-DD, both inclusive. */
export interface UsageRange {
  readonly from: string;
  readonly to: string;
}

/**
 * The range in `from` and `to` of a request; default: the current month up to today. Throws AppError `bad_request` for an invalid
 * date, a reversed range or one of over 366 days.
 */
export function parseUsageRange(
  asked: { from?: string | undefined; to?: string | undefined },
  now: number,
): UsageRange {
  const today = utcDay(now);
  const from = checkDay('from', asked.from ?? `${today.slice(0, 7)}-01`);
  const to = checkDay('to', asked.to ?? today);
  if (from > to) throw new AppError('bad_request', `from (${from}) is after to (${to})`);
  if (daysOf({ from, to }).length > MAX_DAYS) {
    throw new AppError('bad_request', `a range may have at most ${MAX_DAYS} days`, {
      hints: ['ask in several requests'],
    });
  }
  return { from, to };
}

/** Every day of a range, in order; at most one more than allowed. */
export function daysOf({ from, to }: UsageRange): string[] {
  const days: string[] = [];
  const end = Date.parse(to);
  for (let time = Date.parse(from); time <= end && days.length <= MAX_DAYS; time += DAY_MS) days.push(utcDay(time));
  return days;
}

function checkDay(name: string, text: string): string {
  if (isDay(text)) return text;
  throw new AppError('bad_request', `${name} must be a date of the form YYYY-MM-DD`);
}
