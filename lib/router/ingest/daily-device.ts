/** `?device=daily`: a device id for pages that store nothing, from what a request shows and the salt of the day. */
import { createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { whenHere, type Soon } from '../../base/soon.ts';
import { AppError } from '../../base/errors.ts';
import { onlyParameter, queryParameters } from '../http/query-string.ts';

/** Characters of 6 bits: enough that no two devices of a day collide. */
const ID_LENGTH = 22;

/** Of today, by UTC. */
export interface DaySalt {
  readonly salt: Soon<Uint8Array>;
}

/** Whether a request asks for it. Throws AppError 400 for another `device`, since its sender means something by it. */
export function asksForDailyDevice(request: IncomingMessage): boolean {
  const device = onlyParameter(queryParameters(request), 'device');
  if (device === undefined) return false;
  if (device === 'daily') return true;
  throw new AppError('bad_request', 'The query parameter device accepts only "daily".', {
    hints: ['Send a device id in the event, as device_id.'],
  });
}

/** The same all day for a browser at an address, in one project; unlike all others, and another tomorrow. */
export function dailyDevice(
  { salt }: DaySalt,
  { project, ip, userAgent }: { project: string; ip: string | null; userAgent: string | null },
): Soon<string> {
  return whenHere(salt, (key) => {
    const hash = createHmac('sha256', key).update(JSON.stringify([project, ip, userAgent]));
    return `daily_${hash.digest('base64url').slice(0, ID_LENGTH)}`;
  });
}
