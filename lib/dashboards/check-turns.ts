/**
 * Whose dashboard is checked next: one at a time, organizations in turns by the time that their checks take, so that whoever has
 * many slow ones waits for them and nobody else does.
 */
import { AppError } from '../base/errors.ts';
import { FairQueue } from '../base/fair-queue.ts';
import { monotonic } from '../base/monotonic.ts';
import type { Tenant } from '../base/project.ts';

/** Waiting checks, each with its text: of all, and of one organization. */
const MAX_WAITING = 32;
const MAX_WAITING_OF_ONE = 4;

interface Waiting {
  readonly orgId: string;
  readonly begin: () => void;
}

export class CheckTurns {
  readonly #queue = new FairQueue<Waiting>();
  /** Waiting checks by organization; none has 0. */
  readonly #waiting = new Map<string, number>();
  readonly #now: () => number;
  #isBusy = false;

  /** @param now Milliseconds, for tests. */
  constructor(now = monotonic) {
    this.#now = now;
  }

  /** Does the work when it is the tenant's turn. Rejects with AppError `overloaded` when too many are waiting. */
  async run<R>(tenant: Tenant, work: () => Promise<R>): Promise<R> {
    await this.#turn(tenant);
    const begun = this.#now();
    try {
      return await work();
    } finally {
      this.#queue.charge(tenant, this.#now() - begun);
      this.#isBusy = false;
      this.#next();
    }
  }

  #turn(tenant: Tenant): Promise<void> {
    const { orgId } = tenant;
    const own = this.#waiting.get(orgId) ?? 0;
    if (own >= MAX_WAITING_OF_ONE)
      throw new AppError('overloaded', 'Too many dashboards of the organization are waiting to be checked.');
    if (this.#queue.size >= MAX_WAITING) throw new AppError('overloaded', 'Too many dashboards are being checked.');
    return new Promise((begin) => {
      this.#waiting.set(orgId, own + 1);
      this.#queue.push(tenant, { orgId, begin }, 0); // charged once it is known
      this.#next();
    });
  }

  #next(): void {
    const next = this.#isBusy ? undefined : this.#queue.shift();
    if (next === undefined) return;
    this.#isBusy = true;
    const left = (this.#waiting.get(next.orgId) ?? 1) - 1;
    if (left === 0) this.#waiting.delete(next.orgId);
    else this.#waiting.set(next.orgId, left);
    next.begin();
  }
}
