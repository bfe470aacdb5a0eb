/** Counts failures by client address. */
import { AppError } from '../../base/errors.ts';
import { RateLimited, RateWindows } from './rate-limit.ts';
import { networkOf } from '../http/client-address.ts';

/** Addresses counted at once; beyond it all others share one count, so nobody slips through. */
const MAX_ADDRESSES = 50_000;
const OTHERS = 'others';
/** Replaces the address of a connection that no longer has one. */
const UNKNOWN = 'unknown';

/** At most `limit` failures of an address (IPv6: of a /64) in a minute; 0: no limit. */
export class FailureLimit {
  readonly #limit: number;
  readonly #windows: RateWindows;

  /** @param now A clock, for tests. */
  constructor(limit: number, now?: () => number) {
    this.#limit = limit;
    this.#windows = new RateWindows({ limit, many: MAX_ADDRESSES, ...(now && { now }) });
  }

  /** Counts a failure; false if there were too many. */
  add(ip: string | null): boolean {
    if (this.#limit === 0) return true;
    const network = networkOf(ip ?? UNKNOWN);
    const key = this.#windows.hasRoom(network) ? network : OTHERS;
    const isAllowed = this.#windows.left(key) > 0;
    if (isAllowed) this.#windows.add(key, 1);
    return isAllowed;
  }

  /** Counts a failed authentication and makes its error: 401 with the message, or 429 after too many. */
  refuse(ip: string | null, message: string, extra: { hints?: readonly string[] } = {}): AppError {
    if (this.add(ip)) return new AppError('unauthenticated', message, extra);
    return this.tooMany('failed authentications', {
      hints: ['Requests with a valid key or session still work.'],
    });
  }

  /** The error for an address that has nothing left; `what`, plural, for the message. */
  tooMany(what: string, extra: { hints?: readonly string[] } = {}): RateLimited {
    const message = `More than ${this.#limit.toLocaleString('en')} ${what} in a minute from this address.`;
    return new RateLimited(message, { name: what, limit: this.#limit }, extra);
  }
}
