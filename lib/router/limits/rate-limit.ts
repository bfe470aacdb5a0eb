/** Limits per minute, and what answers say about them. */
import { MINUTE_MS, SECOND_MS } from '../../base/day.ts';
import type { ServerResponse } from 'node:http';
import { AppError } from '../../base/errors.ts';
import { ORGANIZATION_SHARE, type Tenant } from '../../base/project.ts';
import { monotonic } from '../../base/monotonic.ts';

/** Where somebody stands: `left` of `limit` things (`name`, plural) in a minute that ends in `reset` seconds. */
export interface RateState {
  readonly name: string;
  readonly limit: number;
  readonly left: number;
  readonly reset: number;
}

/** A 429 whose headers tell which limit it exceeds. */
export class RateLimited extends AppError {
  readonly exceeded: Pick<RateState, 'name' | 'limit'>;

  constructor(message: string, exceeded: RateLimited['exceeded'], extra: { hints?: readonly string[] } = {}) {
    super('rate_limited', message, extra);
    this.exceeded = exceeded;
  }
}

interface RateOptions {
  /** Per minute; 0: no limit. */
  readonly limit: number;
  /** Plural, for messages and headers. */
  readonly what: string;
  /** Who has them, for messages. */
  readonly whose: 'project' | 'organization' | 'account or admin key';
}

/** Limits what an id may do in a minute. `factor`: multiplies the limit. */
export class RateLimit {
  readonly #options: RateOptions;
  readonly #windows: RateWindows;

  constructor(options: RateOptions) {
    this.#options = options;
    // RateWindows kept before idle ones are dropped.
    this.#windows = new RateWindows({ limit: options.limit, many: 10_000 });
  }

  /** Throws 429 if nothing is left in this minute. */
  check(id: string, factor = 1): void {
    const state = this.state(id, factor);
    if (state === null || state.left > 0) return;
    const { what, whose } = this.#options;
    throw new RateLimited(`This ${whose} exceeds ${state.limit.toLocaleString('en')} ${what} per minute.`, state, {
      hints: ['Wait for the seconds in Retry-After, then continue more slowly.'],
    });
  }

  /** Counts what a request turned out to hold. */
  add(id: string, amount: number, factor = 1): void {
    this.#windows.add(id, amount, factor);
  }

  /** Milliseconds to wait until something is left; 0: no wait. */
  wait(id: string, factor = 1): number {
    return this.#windows.left(id, factor) > 0 ? 0 : this.#windows.rest(id, factor);
  }

  /** The limit, what is left of it, and the seconds until it is full again; null: no limit. */
  state(id: string, factor = 1): RateState | null {
    const { limit, what: name } = this.#options;
    if (limit === 0) return null;
    const left = Math.max(0, this.#windows.left(id, factor));
    return { name, limit: limit * factor, left, reset: Math.ceil(this.#windows.rest(id, factor) / 1_000) };
  }
}

/** The fields as separate and as structured headers; clients know one or the other. */
export function setRateHeaders(response: ServerResponse, state: RateState): void {
  response.setHeader('RateLimit-Policy', `"${state.name}";q=${state.limit};w=${MINUTE_MS / SECOND_MS}`);
  response.setHeader('RateLimit-Limit', state.limit);
  setStanding(response, state);
}

/** The same without a limit per minute. */
export function setStanding(response: ServerResponse, { name, left, reset }: Omit<RateState, 'limit'>): void {
  response.setHeader('RateLimit', `"${name}";r=${left};t=${reset}`);
  response.setHeader('RateLimit-Remaining', left);
  response.setHeader('RateLimit-Reset', reset);
}

/** What a project may do in a minute, and all projects of its organization together. */
export class TenantRate {
  readonly #ofProject: RateLimit;
  readonly #ofOrganization: RateLimit;
  readonly #onRefusal: (tenant: Tenant) => void;

  /** At most `limit` things (`what`, plural) of a project; 0: no limit. `onRefusal` hears who is refused. */
  constructor(limit: number, what: string, onRefusal: (tenant: Tenant) => void) {
    this.#onRefusal = onRefusal;
    this.#ofProject = new RateLimit({ limit, what, whose: 'project' });
    this.#ofOrganization = new RateLimit({ limit: limit * ORGANIZATION_SHARE, what, whose: 'organization' });
  }

  /** Throws 429 if the project or its organization has nothing left in this minute. */
  check(tenant: Tenant): void {
    try {
      this.#ofProject.check(tenant.id);
      this.#ofOrganization.check(tenant.orgId, tenant.weight);
    } catch (error) {
      this.#onRefusal(tenant);
      throw error;
    }
  }

  /** Counts what a request turned out to hold. */
  add({ id, orgId, weight }: Tenant, amount: number): void {
    this.#ofProject.add(id, amount);
    this.#ofOrganization.add(orgId, amount, weight);
  }

  /** Milliseconds to wait until both have something left; 0: no wait. */
  wait({ id, orgId, weight }: Tenant): number {
    return Math.max(this.#ofProject.wait(id), this.#ofOrganization.wait(orgId, weight));
  }

  /** Sets the RateLimit headers: the project's, unless its organization has less left. */
  tell({ id, orgId, weight }: Tenant, response: ServerResponse): void {
    const own = this.#ofProject.state(id);
    const shared = this.#ofOrganization.state(orgId, weight);
    if (own === null || shared === null) return;
    setRateHeaders(response, shared.left < own.left ? shared : own);
  }
}

/**
 * What was used of a limit. A minute starts with the first thing counted in it; with its end, what comes back each minute is
 * there again. What exceeds a rate is taken from the next minute, and forgiven after a quiet one.
 */
export class RateWindow {
  readonly limit: number;
  readonly #back: number;
  #start = -Infinity;
  #used = 0;

  /** @param back What comes back each minute: all of the limit, if it is a rate. */
  constructor(limit: number, back = limit) {
    this.limit = limit;
    this.#back = back;
  }

  /** Counts `amount` at `now` (milliseconds). */
  add(amount: number, now: number): void {
    this.#roll(now);
    this.#used += amount;
  }

  /** How much is left at `now`; 0 or less: nothing. */
  left(now: number): number {
    this.#roll(now);
    return this.limit - this.#used;
  }

  /** Milliseconds until the current minute ends. */
  rest(now: number): number {
    return Math.max(0, this.#start + MINUTE_MS - now);
  }

  #roll(now: number): void {
    const minutes = Math.floor((now - this.#start) / MINUTE_MS);
    if (minutes < 1) return;
    const isForgiven = this.#back >= this.limit && minutes > 1;
    this.#used = isForgiven || this.#used === 0 ? 0 : Math.max(0, this.#used - this.#back * minutes);
    this.#start = this.#used === 0 || this.#back >= this.limit ? now : this.#start + minutes * MINUTE_MS;
  }
}

interface WindowsOptions {
  /** Of each id; 0: no limit. */
  readonly limit: number;
  /** What comes back each minute; omitted: all. */
  readonly back?: number;
  /** From so many windows on, those of which nothing is used are dropped before another is added. */
  readonly many: number;
  /** A clock, for tests. */
  readonly now?: () => number;
}

/** A window for each id, about 200 bytes each. */
export class RateWindows {
  readonly #options: WindowsOptions;
  readonly #now: () => number;
  readonly #windows = new Map<string, RateWindow>();
  #sweptAt = -Infinity;

  constructor(options: WindowsOptions) {
    this.#options = options;
    this.#now = options.now ?? monotonic;
  }

  /** How much is left; 0 or less: nothing. Infinity without a limit. @param factor Multiplies the limit. */
  left(id: string, factor = 1): number {
    return this.#options.limit === 0 ? Infinity : this.#of(id, factor).left(this.#now());
  }

  add(id: string, amount: number, factor = 1): void {
    if (this.#options.limit > 0 && amount > 0) this.#of(id, factor).add(amount, this.#now());
  }

  /** Milliseconds until the current minute of an id ends. */
  rest(id: string, factor = 1): number {
    return this.#options.limit === 0 ? 0 : this.#of(id, factor).rest(this.#now());
  }

  /** Whether an id has a window, or may have one while there are not too many. */
  hasRoom(id: string): boolean {
    if (this.#windows.has(id)) return true;
    this.#sweep();
    return this.#windows.size < this.#options.many;
  }

  /** A window whose limit has changed starts over. */
  #of(id: string, factor: number): RateWindow {
    const { limit, back = limit } = this.#options;
    const known = this.#windows.get(id);
    if (known?.limit === limit * factor) return known;
    this.#sweep();
    const made = new RateWindow(limit * factor, back * factor);
    this.#windows.set(id, made);
    return made;
  }

  #sweep(): void {
    const now = this.#now();
    // Between two sweeps for windows to drop: each sweep goes through all.
    if (this.#windows.size < this.#options.many || now - this.#sweptAt < 1_000) return;
    this.#sweptAt = now;
    for (const [id, window] of this.#windows) if (window.left(now) === window.limit) this.#windows.delete(id);
  }
}
