/** What a project may do in a minute, and what answers say about it. */
import type { ServerResponse } from 'node:http';
import { AppError } from '../errors.ts';
import { MinuteWindow, WINDOW_MS } from './minute-window.ts';

/** Windows kept before idle ones are dropped; about 200 bytes each. */
const SWEEP_AT = 10_000;

/** Where somebody stands: `left` of `limit` things (`name`, plural) in a minute that ends in `reset` seconds. */
export interface RateState {
  readonly name: string;
  readonly limit: number;
  readonly left: number;
  readonly reset: number;
}

/** A 429 that tells in its headers of which limit it is. */
export class RateLimited extends AppError {
  readonly rate: RateState;

  constructor(message: string, rate: RateState, extra: { hints?: readonly string[] } = {}) {
    super('rate_limited', message, extra);
    this.rate = rate;
  }
}

/** At most `limit` things (`what`, plural, for messages) of a project in a minute; 0: no limit. */
export class RateLimit {
  readonly #limit: number;
  readonly #what: string;
  readonly #now: () => number;
  readonly #windows = new Map<string, MinuteWindow>();

  constructor(limit: number, what: string, now: () => number = Date.now) {
    this.#limit = limit;
    this.#what = what;
    this.#now = now;
  }

  /** Throws 429 when the project has nothing left in this minute. */
  check(project: string, response: ServerResponse): void {
    if (this.#limit === 0) return;
    const now = this.#now();
    if (this.#window(project).left(now) > 0) return;
    this.tell(project, response);
    throw new AppError('rate_limited', `More than ${this.#limit.toLocaleString('en')} ${this.#what} in a minute.`, {
      hints: ['Wait for the seconds in Retry-After, then go on slower.'],
    });
  }

  /** Counts what a request was found to hold. */
  add(project: string, amount: number): void {
    if (this.#limit > 0) this.#window(project).add(amount, this.#now());
  }

  /** Milliseconds to wait until something is left; 0: there is. */
  wait(project: string): number {
    if (this.#limit === 0) return 0;
    const now = this.#now();
    const window = this.#window(project);
    return window.left(now) > 0 ? 0 : window.rest(now);
  }

  /** Sets the RateLimit headers: the limit, what is left of it, and the seconds until it is whole again. */
  tell(project: string, response: ServerResponse): void {
    if (this.#limit === 0) return;
    const now = this.#now();
    const window = this.#window(project);
    const left = Math.max(0, window.left(now));
    const reset = Math.ceil(window.rest(now) / 1_000);
    setRateHeaders(response, { name: this.#what, limit: this.#limit, left, reset });
  }

  #window(project: string): MinuteWindow {
    const known = this.#windows.get(project);
    if (known !== undefined) return known;
    if (this.#windows.size >= SWEEP_AT) this.#forgetIdle();
    const made = new MinuteWindow(this.#limit);
    this.#windows.set(project, made);
    return made;
  }

  #forgetIdle(): void {
    const now = this.#now();
    for (const [project, window] of this.#windows) if (window.idle(now)) this.#windows.delete(project);
  }
}

/** The fields in their separate and in their structured spelling; clients know one or the other. */
export function setRateHeaders(response: ServerResponse, { name, limit, left, reset }: RateState): void {
  response.setHeader('RateLimit-Policy', `"${name}";q=${limit};w=${WINDOW_MS / 1_000}`);
  response.setHeader('RateLimit', `"${name}";r=${left};t=${reset}`);
  response.setHeader('RateLimit-Limit', limit);
  response.setHeader('RateLimit-Remaining', left);
  response.setHeader('RateLimit-Reset', reset);
}
