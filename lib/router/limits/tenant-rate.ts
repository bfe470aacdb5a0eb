/** What a project may do in a minute, and all projects of its organization together. */
import type { ServerResponse } from 'node:http';
import { ORGANIZATION_SHARE, type Tenant } from '../../base/project.ts';
import { RateLimit, setRateHeaders } from './rate-limit.ts';

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
