import type Database from 'better-sqlite3';
import { AppError } from '../errors.ts';
import type { Audit } from './audit.ts';
import type { Connection } from './connection.ts';
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
}

const COLUMNS =
  'id, name, created_at AS createdAt, max_projects AS maxProjects, max_events_per_month AS maxEvents FROM organizations';

export class Organizations {
  readonly #connection: Connection;
  readonly #keys: Keys;
  readonly #audit: Audit;
  readonly #insert: Database.Statement<[string, string, number]>;
  readonly #find: Database.Statement<[string], OrganizationRow>;
  readonly #list: Database.Statement<[], OrganizationRow>;
  readonly #setLimits: Database.Statement<[number | null, number | null, string]>;

  constructor(connection: Connection, keys: Keys, audit: Audit) {
    const { db } = connection;
    this.#connection = connection;
    this.#keys = keys;
    this.#audit = audit;
    this.#insert = db.prepare('INSERT INTO organizations (id, name, created_at) VALUES (?, ?, ?)');
    this.#find = db.prepare(`SELECT ${COLUMNS} WHERE id = ?`);
    this.#list = db.prepare(`SELECT ${COLUMNS} ORDER BY created_at, rowid`);
    this.#setLimits = db.prepare('UPDATE organizations SET max_projects = ?, max_events_per_month = ? WHERE id = ?');
  }

  create(name: string): { organization: Organization; adminKey: string } {
    const id = newId('org_');
    const checked = checkName(name, 'organization');
    return this.#connection.write(() => {
      this.#insert.run(id, checked, this.#connection.now());
      return { organization: this.get(id), adminKey: this.#keys.replaceAdmin(id) };
    });
  }

  find(id: string): Organization | null {
    const row = this.#find.get(id);
    return row === undefined ? null : organization(row);
  }

  get(id: string): Organization {
    return this.find(id) ?? notFound(id);
  }

  list(): Organization[] {
    return this.#list.all().map(organization);
  }

  setLimits(id: string, changes: Partial<OrganizationLimits>): Organization {
    return this.#connection.write(() => {
      const limits = { ...this.get(id).limits, ...changes };
      checkLimit('projects', limits.projects);
      checkLimit('events_per_month', limits.eventsPerMonth);
      this.#setLimits.run(limits.projects, limits.eventsPerMonth, id);
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
  const { maxProjects, maxEvents, ...rest } = row;
  return { ...rest, limits: { projects: maxProjects, eventsPerMonth: maxEvents } };
}

function checkLimit(name: string, limit: number | null): void {
  if (limit === null || (Number.isSafeInteger(limit) && limit >= 0)) return;
  throw new AppError('bad_request', `${name} must be a whole number, or none for no limit`);
}

function notFound(id: string): never {
  throw new AppError('not_found', `there is no organization "${id}"`, { hints: ['`wl admin org list` shows them'] });
}
