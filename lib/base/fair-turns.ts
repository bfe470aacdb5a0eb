/** Work of which only one is done at a time, so organizations take turns by the time that theirs took. */
import { FairQueue } from './fair-queue.ts';
import { monotonic } from './monotonic.ts';
import type { Tenant } from './project.ts';

export class FairTurns {
  /** Each begins one. */
  readonly #waiting = new FairQueue<() => void>();
  readonly #now: () => number;
  #isBusy = false;

  /** @param now Milliseconds, for tests. */
  constructor(now = monotonic) {
    this.#now = now;
  }

  /** Runs `use` when it is the tenant's turn, which ends with it. */
  async run<T>(tenant: Tenant, use: () => Promise<T>): Promise<T> {
    if (this.#isBusy) await new Promise<void>((begin) => this.#waiting.push(tenant, begin, 0));
    this.#isBusy = true;
    const begun = this.#now();
    try {
      return await use();
    } finally {
      this.#waiting.charge(tenant, this.#now() - begun);
      const next = this.#waiting.shift();
      if (next === undefined) this.#isBusy = false;
      else next();
    }
  }
}
