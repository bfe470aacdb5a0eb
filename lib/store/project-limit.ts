/**
 * Limits how many costly tasks run or wait at once: per project, in total, and per organization to as many as are free (as
 * `ByteShares` does). So one alone has half, and however slow those of two are, others get theirs.
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
  /** By project and by organization. */
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
    const free = ofAll - this.#all;
    if (own >= ofProject || shared >= free) {
      const running = own >= ofProject ? own : free > 0 ? shared : this.#all;
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
