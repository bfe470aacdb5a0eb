import { AppError } from '../base/errors.ts';
import type { Audit } from './audit.ts';
import { type ControlConnection, countOf, CompiledOnce, THE_ID } from './storage/connection.ts';
import { newId } from './key-text.ts';
import type { Keys } from './keys.ts';
import { checkLimit, checkName, notFound } from './names.ts';
import type { Actor, Changes, Organization, Suspension } from './types.ts';

export type OrganizationLimits = Organization['limits'];

/** No organization needs a larger share: the machine's other tenants would have less than a thousandth. */
const MAX_WEIGHT = 1_000;

export interface OrganizationPage {
  readonly organizations: readonly Organization[];
  /** The cursor of the next page; null: this is the last. */
  readonly next: string | null;
}

export class Organizations {
  readonly #connection: ControlConnection;
  readonly #keys: Keys;
  readonly #audit: Audit;
  readonly #byId: CompiledOnce<OrganizationRow>;

  constructor(connection: ControlConnection, keys: Keys, audit: Audit) {
    this.#connection = connection;
    this.#byId = new CompiledOnce(connection, () => this.#select().where('id', '=', THE_ID));
    this.#keys = keys;
    this.#audit = audit;
  }

  /** `createdBy`: the account that asked for it; counts as one of its own. */
  async create(
    name: string,
    createdBy: string | null = null,
  ): Promise<{ organization: Organization; adminKey: string }> {
    const id = newId('org_');
    const checked = checkName(name, 'organization');
    return this.#connection.write(async () => {
      const { db, now } = this.#connection;
      // Projects that a new organization may have.
      const row = { id, name: checked, created_at: now(), max_projects: 10_000, created_by: createdBy };
      await db.insertInto('organizations').values(row).execute();
      return { organization: await this.get(id), adminKey: await this.#keys.replaceAdmin(id) };
    });
  }

  async find(id: string): Promise<Organization | null> {
    const row = await this.#byId.first({ id });
    return row === undefined ? null : organization(row);
  }

  async get(id: string): Promise<Organization> {
    return (await this.find(id)) ?? notFound(`organization "${id}"`, '`wl admin org list` shows them');
  }

  /** How many organizations an account has made. */
  async madeBy(accountId: string): Promise<number> {
    return countOf(this.#connection.db.selectFrom('organizations').where('created_by', '=', accountId));
  }

  /** Whether one exists or existed. */
  async exist(): Promise<boolean> {
    const first = this.#connection.db.selectFrom('organizations').select('id').limit(1);
    return (await first.executeTakeFirst()) !== undefined;
  }

  /** Some of them, in order of creation. `cursor`: the `next` of the page before. Throws AppError `not_found` for one that is none. */
  async page({ limit, cursor }: { readonly limit: number; readonly cursor: string | null }): Promise<OrganizationPage> {
    const all = this.#select().orderBy('created_at').orderBy('rowid');
    const { createdAt, rowid } = cursor === null ? { createdAt: 0, rowid: 0 } : await this.#place(cursor);
    const after = all
      .where('created_at', '>=', createdAt)
      .where((one) => one.or([one('created_at', '>', createdAt), one('rowid', '>', rowid)]));
    const rows = await after.limit(limit + 1).execute();
    const organizations = rows.slice(0, limit).map(organization);
    return { organizations, next: rows.length > limit ? (organizations.at(-1)?.id ?? null) : null };
  }

  async list(): Promise<Organization[]> {
    return (await this.#select().orderBy('created_at').orderBy('rowid').execute()).map(organization);
  }

  /** Removes its key, members and invitations; its projects must be deleted before. Inside a transaction of the caller. */
  async delete(id: string, by: Actor): Promise<void> {
    await this.get(id);
    await this.#audit.append(id, 'org.delete', id, by);
    const { db, now } = this.#connection;
    await db.insertInto('deleted_organizations').values({ id, deleted_at: now() }).execute();
    await this.#keys.dropAdmin(id);
    for (const table of ['members', 'invitations', 'login_links'] as const)
      await db.deleteFrom(table).where('org_id', '=', id).execute();
    await db.deleteFrom('idempotent_answers').where('owner', '=', id).execute();
  }

  rename(id: string, name: string, by: Actor): Promise<Organization> {
    const checked = checkName(name, 'organization');
    return this.#connection.write(async () => {
      const { name: from } = await this.get(id);
      const update = this.#connection.db.updateTable('organizations').set({ name: checked });
      await update.where('id', '=', id).execute();
      const changes = { name: { from, to: checked } };
      await this.#audit.appendChanges({ orgId: id, action: 'org.update', target: id, changes }, by);
      return this.get(id);
    });
  }

  /** Switches ingest, queries or both of all of its projects off at once. Replaces what was switched off. */
  async suspend(id: string, { what, reason }: Pick<Suspension, 'what' | 'reason'>, by: Actor): Promise<Organization> {
    return this.#setSuspension(id, 'org.suspend', { what, reason: checkName(reason, 'reason') }, by);
  }

  /** The suspensions of single projects stay. */
  resume(id: string, by: Actor): Promise<Organization> {
    return this.#setSuspension(id, 'org.resume', null, by);
  }

  #setSuspension(
    id: string,
    action: 'org.suspend' | 'org.resume',
    suspension: Organization['suspension'],
    by: Actor,
  ): Promise<Organization> {
    return this.#connection.write(async () => {
      const changes = suspensionChanges((await this.get(id)).suspension, suspension);
      const set = { suspended: suspension?.what ?? null, suspended_because: suspension?.reason ?? null };
      await this.#connection.db.updateTable('organizations').set(set).where('id', '=', id).execute();
      await this.#audit.appendChanges({ orgId: id, action, target: id, changes }, by);
      return this.get(id);
    });
  }

  setLimits(id: string, changes: Partial<OrganizationLimits>, by: Actor): Promise<Organization> {
    return this.#connection.write(async () => {
      const former = (await this.get(id)).limits;
      const limits = { ...former, ...changes };
      checkLimit('projects', limits.projects);
      checkLimit('events_per_month', limits.eventsPerMonth);
      checkWeight(limits.weight);
      const { projects: max_projects, eventsPerMonth: max_events_per_month, weight } = limits;
      const update = this.#connection.db.updateTable('organizations');
      await update.set({ max_projects, max_events_per_month, weight }).where('id', '=', id).execute();
      const told = {
        projects: { from: former.projects, to: max_projects },
        events_per_month: { from: former.eventsPerMonth, to: max_events_per_month },
        weight: { from: former.weight, to: weight },
      };
      await this.#audit.appendChanges({ orgId: id, action: 'limits.update', target: id, changes: told }, by);
      return this.get(id);
    });
  }

  rotateAdminKey(id: string, by: Actor): Promise<string> {
    return this.#connection.write(async () => {
      await this.get(id);
      await this.#audit.append(id, 'key.rotate', id, by);
      return this.#keys.replaceAdmin(id);
    });
  }

  /** Where an organization stands in the order of creation. */
  async #place(id: string): Promise<{ readonly createdAt: number; readonly rowid: number }> {
    const row = await this.#select().select('rowid').where('id', '=', id).executeTakeFirst();
    return row ?? notFound(`organization "${id}"`, 'begin again, without `cursor`');
  }

  /** Those that are not deleted. */
  #select() {
    const { db } = this.#connection;
    const limits = ['max_projects as maxProjects', 'max_events_per_month as maxEvents', 'weight'] as const;
    const suspension = ['suspended as what', 'suspended_because as reason'] as const;
    const columns = ['id', 'name', 'created_at as createdAt', ...limits, ...suspension] as const;
    const select = db.selectFrom('organizations').select(columns);
    return select.where('id', 'not in', db.selectFrom('deleted_organizations').select('id'));
  }
}

interface OrganizationRow extends Pick<Organization, 'id' | 'name' | 'createdAt'> {
  readonly maxProjects: number | null;
  readonly maxEvents: number | null;
  readonly weight: number;
  readonly what: Suspension['what'] | null;
  readonly reason: string | null;
}

function organization({ maxProjects, maxEvents, weight, what, reason, ...rest }: OrganizationRow): Organization {
  const suspension = what === null ? null : { what, reason: reason ?? '' };
  return { ...rest, limits: { projects: maxProjects, eventsPerMonth: maxEvents, weight }, suspension };
}

/** As the audit trail tells a suspension, or its end. */
export function suspensionChanges(from: Organization['suspension'], to: Organization['suspension']): Changes {
  return {
    what: { from: from?.what ?? null, to: to?.what ?? null },
    reason: { from: from?.reason ?? null, to: to?.reason ?? null },
  };
}

function checkWeight(weight: number): void {
  if (Number.isSafeInteger(weight) && weight >= 1 && weight <= MAX_WEIGHT) return;
  throw new AppError('bad_request', `weight must be a whole number from 1 to ${MAX_WEIGHT}`);
}
