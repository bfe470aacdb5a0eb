/** What somebody may do in a minute, and what answers say about it. */
import type { ServerResponse } from 'node:http';
import { AppError } from '../../base/errors.ts';
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

interface RateOptions {
  /** Things in a minute; 0: no limit. */
  readonly limit: number;
  /** Plural, for messages and headers. */
  readonly what: string;
  /** Whose they are, for messages. */
  readonly whose: 'project' | 'organization';
  /** Milliseconds on a clock that nobody sets. */
  readonly now?: () => number;
}

/** At most so many things of somebody in a minute. `factor`: whoever it is may do so many times the limit. */
export class RateLimit {
  readonly #options: RateOptions;
  readonly #now: () => number;
  readonly #windows = new Map<string, MinuteWindow>();

  constructor(options: RateOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /** Throws 429 when nothing is left in this minute. */
  check(id: string, response: ServerResponse, factor = 1): void {
    const state = this.state(id, factor);
    if (state === null || state.left > 0) return;
    setRateHeaders(response, state);
    const { what, whose } = this.#options;
    throw new AppError(
      'rate_limited',
      `This ${whose} exceeds ${state.limit.toLocaleString('en')} ${what} per minute.`,
      { hints: ['Wait for the seconds in Retry-After, then continue more slowly.'] },
    );
  }

  /** Counts what a request was found to hold. */
  add(id: string, amount: number, factor = 1): void {
    if (this.#options.limit > 0) this.#window(id, factor).add(amount, this.#now());
  }

  /** Milliseconds to wait until something is left; 0: there is. */
  wait(id: string, factor = 1): number {
    if (this.#options.limit === 0) return 0;
    const now = this.#now();
    const window = this.#window(id, factor);
    return window.left(now) > 0 ? 0 : window.rest(now);
  }

  /** The limit, what is left of it, and the seconds until it is whole again; null: there is none. */
  state(id: string, factor = 1): RateState | null {
    if (this.#options.limit === 0) return null;
    const now = this.#now();
    const window = this.#window(id, factor);
    const left = Math.max(0, window.left(now));
    return { name: this.#options.what, limit: window.limit, left, reset: Math.ceil(window.rest(now) / 1_000) };
  }

  /** A window whose limit is another now begins anew. */
  #window(id: string, factor: number): MinuteWindow {
    const known = this.#windows.get(id);
    const limit = this.#options.limit * factor;
    if (known?.limit === limit) return known;
    if (this.#windows.size >= SWEEP_AT) this.#forgetIdle();
    const made = new MinuteWindow(limit);
    this.#windows.set(id, made);
    return made;
  }

  #forgetIdle(): void {
    const now = this.#now();
    for (const [id, window] of this.#windows) if (window.idle(now)) this.#windows.delete(id);
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
