/**
 * Limits how many costly tasks run or wait at once: per project and per organization, so that others get their turn, and in
 * total.
 */
import { AppError } from '../base/errors.ts';
import type { Tenant } from '../base/project.ts';

interface Limits {
  /** Plural, for the message: `exports`. */
  readonly what: string;
  readonly ofProject: number;
  readonly ofAll: number;
}

export class ProjectLimit {
  readonly #limits: Limits;
  /** By project and by organization, which gets at most half of the total. */
  readonly #running = new Map<string, number>();
  #all = 0;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** Counts a project's task until the returned function is called. Throws AppError('overloaded') if there are too many. */
  enter({ id, orgId }: Tenant): () => void {
    const { what, ofProject, ofAll } = this.#limits;
    const own = this.#running.get(id) ?? 0;
    const shared = this.#running.get(orgId) ?? 0;
    if (own >= ofProject || shared >= ofAll / 2 || this.#all >= ofAll) {
      const running = own >= ofProject ? own : shared >= ofAll / 2 ? shared : this.#all;
      throw new AppError('overloaded', `${running} ${what} are running already`, {
        hints: ['Try again when one of them has finished.'],
      });
    }
    for (const who of [id, orgId]) this.#count(who, 1);
    this.#all++;
    return () => {
      for (const who of [id, orgId]) this.#count(who, -1);
      this.#all--;
    };
  }

  #count(who: string, change: number): void {
    const now = (this.#running.get(who) ?? 0) + change;
    if (now > 0) this.#running.set(who, now);
    else this.#running.delete(who);
  }
}
