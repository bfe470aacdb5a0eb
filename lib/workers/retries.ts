/**
 * Turns of queries that start again because others held their memory. One at a time, or they would meet again and fail; in turns of
 * organizations, since one may wait in its turn until its deadline, and those of its organization after it, too.
 */
import { FairQueue } from '../base/fair-queue.ts';
import type { Tenant } from '../base/project.ts';

export class Retries {
  /** Each begins one. */
  readonly #waiting = new FairQueue<() => void>();
  #isBusy = false;

  /** Runs `use` when it is the tenant's turn. */
  async run<T>(tenant: Tenant, use: () => Promise<T>): Promise<T> {
    if (this.#isBusy) await new Promise<void>((begin) => this.#waiting.push(tenant, begin, 0));
    this.#isBusy = true;
    const begun = performance.now();
    try {
      return await use();
    } finally {
      this.#waiting.charge(tenant, performance.now() - begun);
      const next = this.#waiting.shift();
      if (next === undefined) this.#isBusy = false;
      else next();
    }
  }
}
