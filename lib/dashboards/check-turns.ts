/**
 * Whose dashboard is checked next: organizations take turns, so that whoever has many slow ones waits for them and nobody else does.
 */
import { AppError } from '../base/errors.ts';
import { FairTurns } from '../base/fair-turns.ts';
import { monotonic } from '../base/monotonic.ts';
import type { Tenant } from '../base/project.ts';

/** Waiting checks, each with its text: of all, and of one organization. */
const MAX_WAITING = 32;
const MAX_WAITING_OF_ONE = 4;

export class CheckTurns {
  readonly #turns: FairTurns;
  /** The organization of each waiting check. */
  readonly #waiting: string[] = [];

  /** @param now Milliseconds, for tests. */
  constructor(now = monotonic) {
    this.#turns = new FairTurns(now);
  }

  /** Does the work when it is the tenant's turn. Rejects with AppError `overloaded` when too many are waiting. */
  async run<R>(tenant: Tenant, work: () => Promise<R>): Promise<R> {
    const { orgId } = tenant;
    if (this.#waiting.filter((waiting) => waiting === orgId).length >= MAX_WAITING_OF_ONE)
      throw new AppError('overloaded', 'Too many dashboards of the organization are waiting to be checked.');
    if (this.#waiting.length >= MAX_WAITING) throw new AppError('overloaded', 'Too many dashboards are being checked.');
    this.#waiting.push(orgId);
    return this.#turns.run(tenant, () => {
      this.#waiting.splice(this.#waiting.indexOf(orgId), 1);
      return work();
    });
  }
}
