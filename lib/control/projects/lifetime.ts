import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../base/day.ts';
import { AppError } from '../../base/errors.ts';

const UNIT_MS: Readonly<Record<string, number>> = { m: MINUTE_MS, h: HOUR_MS, d: DAY_MS, w: 7 * DAY_MS };
const MAX_LIFETIME_MS = 10 * 365 * DAY_MS;

/** A key rotated because it leaked must not work for long. */
const MAX_GRACE_MS = 30 * DAY_MS;

export const DEFAULT_TOKEN_LIFETIME_MS = 90 * DAY_MS;

/** `720h`, `30m`, `7d`, `2w` → milliseconds; more than 0, at most 10 years. Throws AppError `bad_request`. */
export function parseLifetime(text: string, name: string): number {
  const ms = durationOf(text);
  if (ms > 0 && ms <= MAX_LIFETIME_MS) return ms;
  throw wrongDuration(name, `${name} must be a duration of more than 0 and at most 10 years, such as 720h`);
}

/** How long a rotated key still works: like `parseLifetime`, from 0 to 30 days. Throws AppError `bad_request`. */
export function parseGrace(text: string): number {
  const ms = /^0+s?$/.test(text) ? 0 : durationOf(text);
  if (ms >= 0 && ms <= MAX_GRACE_MS) return ms;
  throw wrongDuration('grace', 'grace must be a duration from 0 to 30 days, such as 24h');
}

function durationOf(text: string): number {
  const match = /^(\d{1,9})([mhdw])$/.exec(text);
  return Number(match?.[1]) * (UNIT_MS[match?.[2] ?? ''] ?? Number.NaN);
}

function wrongDuration(field: string, message: string): AppError {
  return new AppError('bad_request', message, { field, hints: ['units are m (minutes), h, d and w'] });
}
