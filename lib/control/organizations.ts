import { AppError } from '../base/errors.ts';
import type { Audit } from './audit.ts';
import type { ControlConnection } from './storage/connection.ts';
import { newId } from './key-text.ts';
import type { Keys } from './keys.ts';
import { checkName } from './names.ts';
import type { Actor, Organization } from './types.ts';

export type OrganizationLimits = Organization['limits'];

interface OrganizationRow {
  id: string;
  name: string;
  createdAt: number;
  maxProjects: number | null;
  maxEvents: number | null;
  weight: number;
}

/** Projects that a new organization may have. */
const MAX_PROJECTS = 10_000;
/** No organization needs a larger share: the machine's other tenants would have less than a thousandth. */
const MAX_WEIGHT = 1_000;

const COLUMNS =
  'id, name, created_at AS createdAt, max_projects AS maxProjects, max_events_per_month AS maxEvents, weight FROM organizations';
const THERE = 'id NOT IN (SELECT id FROM deleted_organizations)';

export class Organizations {
  readonly #connection: ControlConnection;
  readonly #keys: Keys;
  readonly #audit: Audit;

  constructor(connection: ControlConnection, keys: Keys, audit: Audit) {
    this.#connection = connection;
    this.#keys = keys;
    this.#audit = audit;
  }

  /** `createdBy`: the account that asked for it; counts as one of its own. */
  create(name: string, createdBy: string | null = null): { organization: Organization; adminKey: string } {
    const id = newId('org_');
    const checked = checkName(name, 'organization');
    return this.#connection.write(() => {
      const sql = 'INSERT INTO organizations (id, name, created_at, max_projects, created_by) VALUES (?, ?, ?, ?, ?)';
      this.#connection.run(sql, id, checked, this.#connection.now(), MAX_PROJECTS, createdBy);
      return { organization: this.get(id), adminKey: this.#keys.replaceAdmin(id) };
    });
  }

  find(id: string): Organization | null {
    const row = this.#connection.row<OrganizationRow>(`SELECT ${COLUMNS} WHERE id = ? AND ${THERE}`, id);
    return row === undefined ? null : organization(row);
  }

  get(id: string): Organization {
    return this.find(id) ?? notFound(id);
  }

  /** How many organizations an account has made. */
  madeBy(accountId: string): number {
    const sql = 'SELECT count(*) FROM organizations WHERE created_by = ?';
    return this.#connection.value<number>(sql, accountId) ?? 0;
  }

  /** Whether one exists or existed. */
  get any(): boolean {
    return this.#connection.value('SELECT EXISTS (SELECT 1 FROM organizations)') === 1;
  }

  list(): Organization[] {
    const sql = `SELECT ${COLUMNS} WHERE ${THERE} ORDER BY created_at, rowid`;
    return this.#connection.rows<OrganizationRow>(sql).map(organization);
  }

  /** Removes its key, members and invitations; its projects must be deleted before. Inside a transaction of the caller. */
  delete(id: string, by: Actor): void {
    this.get(id);
    this.#audit.append(id, 'org.delete', id, by);
    const sql = 'INSERT INTO deleted_organizations (id, deleted_at) VALUES (?, ?)';
    this.#connection.run(sql, id, this.#connection.now());
    this.#keys.dropAdmin(id);
    for (const table of ['members', 'invitations', 'login_links'])
      this.#connection.run(`DELETE FROM ${table} WHERE org_id = ?`, id);
  }

  setLimits(id: string, changes: Partial<OrganizationLimits>): Organization {
    return this.#connection.write(() => {
      const limits = { ...this.get(id).limits, ...changes };
      checkLimit('projects', limits.projects);
      checkLimit('events_per_month', limits.eventsPerMonth);
      checkWeight(limits.weight);
      const sql = 'UPDATE organizations SET max_projects = ?, max_events_per_month = ?, weight = ? WHERE id = ?';
      this.#connection.run(sql, limits.projects, limits.eventsPerMonth, limits.weight, id);
      return this.get(id);
    });
  }

  rotateAdminKey(id: string, by: Actor): string {
    return this.#connection.write(() => {
      this.get(id);
      this.#audit.append(id, 'key.rotate', id, by);
      return this.#keys.replaceAdmin(id);
    });
  }
}

function organization(row: OrganizationRow): Organization {
  const { maxProjects, maxEvents, weight, ...rest } = row;
  return { ...rest, limits: { projects: maxProjects, eventsPerMonth: maxEvents, weight } };
}

function checkLimit(name: string, limit: number | null): void {
  if (limit === null || (Number.isSafeInteger(limit) && limit >= 0)) return;
  throw new AppError('bad_request', `${name} must be a whole number, or none for no limit`);
}

function checkWeight(weight: number): void {
  if (Number.isSafeInteger(weight) && weight >= 1 && weight <= MAX_WEIGHT) return;
  throw new AppError('bad_request', `weight must be a whole number from 1 to ${MAX_WEIGHT}`);
}

function notFound(id: string): never {
  throw new AppError('not_found', `there is no organization "${id}"`, { hints: ['`wl admin org list` shows them'] });
}
