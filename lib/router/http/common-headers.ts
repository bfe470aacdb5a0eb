/** Headers of every answer. */
import { VERSION } from '../../base/version.ts';

const YEAR_SECONDS = 31_536_000;

/** These answers are not pages: endpoints that serve pages replace the policy. */
const ALWAYS: readonly (readonly [name: string, value: string])[] = [
  ['X-Windlass-Version', VERSION],
  ['X-Content-Type-Options', 'nosniff'],
  ['Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'"],
  ['Referrer-Policy', 'no-referrer'],
  ['Cache-Control', 'no-store'],
];

/** `url`: WINDLASS_URL. If it is https, browsers are told to use only https. */
export function commonHeaders(url: string | null): readonly (readonly [name: string, value: string])[] {
  if (url?.startsWith('https:') !== true) return ALWAYS;
  return [...ALWAYS, ['Strict-Transport-Security', `max-age=${YEAR_SECONDS}`]];
}
