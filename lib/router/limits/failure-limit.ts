/** Counts failures by client address. */
import { monotonic } from '../../base/monotonic.ts';
import { AppError } from '../../base/errors.ts';
import { MinuteWindow } from './minute-window.ts';
import { networkOf } from './network.ts';
import { RateLimited } from './rate-limit.ts';

/** Addresses counted at once, about 200 bytes each; beyond it all others share one count, so nobody slips through. */
const MAX_ADDRESSES = 50_000;
const OTHERS = 'others';
/** Between two sweeps for addresses to forget, ms: each sweep goes through all. */
const SWEEP_MS = 1_000;
/** Replaces the address of a connection that no longer has one. */
const UNKNOWN = 'unknown';

/** At most `limit` failures of an address (IPv6: of a /64) in a minute; 0: no limit. */
export class FailureLimit {
  readonly #limit: number;
  readonly #now: () => number;
  readonly #windows = new Map<string, MinuteWindow>();
  #sweptAt = -Infinity;

  constructor(limit: number, now: () => number = monotonic) {
    this.#limit = limit;
    this.#now = now;
  }

  /** Counts a failure; false if there were too many. */
  add(ip: string | null): boolean {
    if (this.#limit === 0) return true;
    const now = this.#now();
    const window = this.#window(networkOf(ip ?? UNKNOWN), now);
    const allowed = window.left(now) > 0;
    if (allowed) window.add(1, now);
    return allowed;
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

  #window(network: string, now: number): MinuteWindow {
    if (this.#windows.size >= MAX_ADDRESSES && !this.#windows.has(network)) this.#forgetIdle(now);
    const key = this.#windows.size < MAX_ADDRESSES || this.#windows.has(network) ? network : OTHERS;
    const known = this.#windows.get(key);
    if (known !== undefined) return known;
    const made = new MinuteWindow(this.#limit);
    this.#windows.set(key, made);
    return made;
  }

  #forgetIdle(now: number): void {
    if (now - this.#sweptAt < SWEEP_MS) return;
    this.#sweptAt = now;
    for (const [network, window] of this.#windows) if (window.idle(now)) this.#windows.delete(network);
  }
}
