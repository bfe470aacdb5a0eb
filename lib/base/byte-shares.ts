/** Shares out a bounded memory, so that nobody fills it for the others. */
import type { Tenant } from './project.ts';

/**
 * Bytes of `limit` that organizations and their projects hold. How much one may hold depends on what is free (dynamic
 * thresholds; Choudhury and Hahne, 1998): an organization as much as is free, times its weight, a project half of that. So
 * something is left for newcomers, however many hold all they may, and one alone may hold much.
 */
export class ByteShares {
  readonly #limit: number;
  readonly #held = new Map<string, number>();
  #total = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get total(): number {
    return this.#total;
  }

  /** Bytes held by an organization or a project. */
  heldBy(id: string): number {
    return this.#held.get(id) ?? 0;
  }

  /** Counts bytes; false, counting nothing, if the tenant holds too much. Whoever holds nothing may take all that is free. */
  take(tenant: Tenant, bytes: number): boolean {
    if (!this.fits(tenant, bytes)) return false;
    this.add(tenant, bytes);
    return true;
  }

  /** Counts bytes, whether or not the tenant may hold them. */
  add({ id, orgId }: Tenant, bytes: number): void {
    this.#total += bytes;
    for (const holder of [orgId, id]) this.#held.set(holder, this.heldBy(holder) + bytes);
  }

  /** Whether `take` would count these bytes. */
  fits({ id, orgId, weight }: Tenant, bytes: number): boolean {
    const free = this.#limit - this.#total;
    const ofOrganization = this.heldBy(orgId);
    const ofProject = this.heldBy(id);
    return (
      this.#total === 0 ||
      (bytes <= free &&
        (ofOrganization === 0 || ofOrganization + bytes <= free * weight) &&
        (ofProject === 0 || ofProject + bytes <= (free * weight) / 2))
    );
  }

  /** Gives taken bytes back. */
  give({ id, orgId }: Tenant, bytes: number): void {
    this.#total -= bytes;
    for (const holder of [orgId, id]) {
      const left = (this.#held.get(holder) ?? 0) - bytes;
      if (left > 0) this.#held.set(holder, left);
      else this.#held.delete(holder);
    }
  }
}
