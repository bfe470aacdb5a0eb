/** Who holds how much of something bounded, so that nobody fills it for the others. */
import type { Tenant } from './project.ts';

/** How many times what is free an organization may hold, and a project. */
export interface Shares {
  readonly organization: number;
  readonly project: number;
}

/** What is free, and what a tenant holds. */
export interface Holdings extends Shares, Pick<Tenant, 'weight'> {
  readonly free: number;
}

/**
 * Whether a tenant may hold more. How much one may hold depends on what is free (dynamic thresholds; Choudhury and Hahne, 1998). So
 * something is left for newcomers, however many hold all they may, and one alone may hold much. Whoever holds nothing may take all
 * that is free.
 */
export function mayHold(more: number, { free, organization, project, weight }: Holdings, shares: Shares): boolean {
  const most = free * weight;
  return (
    more <= free &&
    (organization === 0 || organization + more <= most * shares.organization) &&
    (project === 0 || project + more <= most * shares.project)
  );
}

/** An organization may hold as much as is free, times its weight, a project half of that. */
const USUAL: Shares = { organization: 1, project: 1 / 2 };

/** What organizations and their projects hold of a limit: bytes, or tasks. */
export class Ledger {
  readonly #limit: number;
  readonly #shares: Shares;
  readonly #held = new Map<string, number>();
  #total = 0;

  constructor(limit: number, shares = USUAL) {
    this.#limit = limit;
    this.#shares = shares;
  }

  get total(): number {
    return this.#total;
  }

  get free(): number {
    return this.#limit - this.#total;
  }

  /** What an organization or a project holds. */
  heldBy(id: string): number {
    return this.#held.get(id) ?? 0;
  }

  /** Counts an amount; false, counting nothing, if the tenant holds too much. */
  take(tenant: Tenant, amount: number): boolean {
    if (!this.fits(tenant, amount)) return false;
    this.add(tenant, amount);
    return true;
  }

  /** Counts an amount, whether or not the tenant may hold it. */
  add({ id, orgId }: Tenant, amount: number): void {
    this.#total += amount;
    for (const holder of [orgId, id]) this.#held.set(holder, this.heldBy(holder) + amount);
  }

  /** Whether `take` would count this. Where nobody holds anything, one may take any amount. */
  fits({ id, orgId, weight }: Tenant, amount: number): boolean {
    if (this.#total === 0) return true;
    const holdings = { free: this.free, organization: this.heldBy(orgId), project: this.heldBy(id), weight };
    return mayHold(amount, holdings, this.#shares);
  }

  /** Gives back what was counted. */
  give({ id, orgId }: Tenant, amount: number): void {
    this.#total -= amount;
    for (const holder of [orgId, id]) {
      const left = this.heldBy(holder) - amount;
      if (left > 0) this.#held.set(holder, left);
      else this.#held.delete(holder);
    }
  }
}
