/** Limits how many costly tasks run at once, of a project, an organization and in total: however slow they are, others get theirs. */
import { AppError } from '../base/errors.ts';
import { Ledger } from '../base/ledger.ts';
import type { Tenant } from '../base/project.ts';

interface Limits {
  /** Plural, for the message: `exports`. */
  readonly what: string;
  readonly ofProject: number;
  readonly ofAll: number;
}

export class ProjectLimit {
  readonly #limits: Limits;
  readonly #running: Ledger;

  constructor(limits: Limits) {
    this.#limits = limits;
    this.#running = new Ledger(limits.ofAll, { organization: 1, project: Infinity });
  }

  /** Counts a project's task until the returned function is called. Throws AppError('overloaded') if there are too many. */
  enter(tenant: Tenant): () => void {
    const { what, ofProject } = this.#limits;
    const own = this.#running.heldBy(tenant.id);
    if (own >= ofProject || !this.#running.take(tenant, 1)) {
      const { free, total } = this.#running;
      const running = own >= ofProject ? own : free > 0 ? this.#running.heldBy(tenant.orgId) : total;
      throw new AppError('overloaded', `${running} ${what} are running already`, {
        hints: ['Try again when one of them has finished.'],
      });
    }
    return () => this.#running.give(tenant, 1);
  }
}
