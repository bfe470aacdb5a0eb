/** Limits per minute, and what answers say about them. */
import type { ServerResponse } from 'node:http';
import { AppError } from '../../base/errors.ts';
import { type MinuteWindow, MinuteWindows, WINDOW_MS } from './minute-window.ts';
import { ORGANIZATION_SHARE, type Tenant } from '../../base/project.ts';

/** Windows kept before idle ones are dropped. */
const MANY = 10_000;

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
  readonly #windows = new MinuteWindows(MANY);

  constructor(options: RateOptions) {
    this.#options = options;
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
    if (this.#options.limit === 0) return;
    const now = performance.now();
    this.#window(id, factor, now).add(amount, now);
  }

  /** Milliseconds to wait until something is left; 0: no wait. */
  wait(id: string, factor = 1): number {
    if (this.#options.limit === 0) return 0;
    const now = performance.now();
    const window = this.#window(id, factor, now);
    return window.left(now) > 0 ? 0 : window.rest(now);
  }

  /** The limit, what is left of it, and the seconds until it is full again; null: no limit. */
  state(id: string, factor = 1): RateState | null {
    if (this.#options.limit === 0) return null;
    const now = performance.now();
    const window = this.#window(id, factor, now);
    const left = Math.max(0, window.left(now));
    return { name: this.#options.what, limit: window.limit, left, reset: Math.ceil(window.rest(now) / 1_000) };
  }

  #window(id: string, factor: number, now: number): MinuteWindow {
    return this.#windows.of(id, this.#options.limit * factor, now);
  }
}

/** The fields as separate and as structured headers; clients know one or the other. */
export function setRateHeaders(response: ServerResponse, state: RateState): void {
  response.setHeader('RateLimit-Policy', `"${state.name}";q=${state.limit};w=${WINDOW_MS / 1_000}`);
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
