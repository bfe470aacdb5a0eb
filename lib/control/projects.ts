import type Database from 'better-sqlite3';
import { AppError } from '../errors.ts';
import type { IpPolicy } from '../project.ts';
import type { Audit } from './audit.ts';
import type { Connection } from './connection.ts';
import { newId } from './key-text.ts';
import type { Keys } from './keys.ts';
import { checkName } from './names.ts';
import type { Organizations } from './organizations.ts';
import { changeSettings, DEFAULT_SETTINGS } from './settings.ts';
import type { Actor, Project, ProjectSettings, Suspension } from './types.ts';

interface ProjectRow {
  id: string;
  orgId: string;
  weight: number;
  name: string;
  createdAt: number;
  retentionDays: number | null;
  ipPolicy: IpPolicy;
  timezone: string;
  suspended: Suspension['what'] | null;
  because: string | null;
}

type NewProject = [
  id: string,
  org: string,
  name: string,
  at: number,
  days: number | null,
  policy: string,
  zone: string,
];

const COLUMNS = `id, org_id AS orgId, name, created_at AS createdAt,
  (SELECT weight FROM organizations WHERE id = org_id) AS weight,
  retention_days AS retentionDays, ip_policy AS ipPolicy, timezone,
  (SELECT what FROM suspensions WHERE project_id = projects.id) AS suspended,
  (SELECT reason FROM suspensions WHERE project_id = projects.id) AS because FROM projects`;

interface Parts {
  readonly connection: Connection;
  readonly keys: Keys;
  readonly organizations: Organizations;
  readonly audit: Audit;
}

export class Projects {
  readonly #parts: Parts;
  readonly #insert: Database.Statement<NewProject>;
  readonly #find: Database.Statement<[string], ProjectRow>;
  readonly #all: Database.Statement<[], ProjectRow>;
  readonly #ofOrg: Database.Statement<[string], ProjectRow>;
  readonly #count: Database.Statement<[string], number>;
  readonly #update: Database.Statement<[number | null, string, string, string]>;
  readonly #suspend: Database.Statement<[id: string, what: string, reason: string]>;
  readonly #resume: Database.Statement<[string]>;
  readonly #delete: Database.Statement<[string]>;
  readonly #bury: Database.Statement<[string, string, number]>;
  readonly #unpurged: Database.Statement<[], string>;
  readonly #purged: Database.Statement<[number, string]>;

  constructor(parts: Parts) {
    const { db } = parts.connection;
    this.#parts = parts;
    this.#insert = db.prepare(
      'INSERT INTO projects (id, org_id, name, created_at, retention_days, ip_policy, timezone) VALUES (?, ?, ?, ?, ?, ?, ?)',
    );
    this.#find = db.prepare(`SELECT ${COLUMNS} WHERE id = ?`);
    this.#all = db.prepare(`SELECT ${COLUMNS} ORDER BY created_at, rowid`);
    this.#ofOrg = db.prepare(`SELECT ${COLUMNS} WHERE org_id = ? ORDER BY created_at, rowid`);
    this.#count = db.prepare<[string], number>('SELECT count(*) FROM projects WHERE org_id = ?').pluck();
    this.#update = db.prepare('UPDATE projects SET retention_days = ?, ip_policy = ?, timezone = ? WHERE id = ?');
    this.#suspend = db.prepare('INSERT OR REPLACE INTO suspensions (project_id, what, reason) VALUES (?, ?, ?)');
    this.#resume = db.prepare('DELETE FROM suspensions WHERE project_id = ?');
    this.#delete = db.prepare('DELETE FROM projects WHERE id = ?');
    this.#bury = db.prepare('INSERT INTO deleted_projects (id, org_id, deleted_at) VALUES (?, ?, ?)');
    this.#unpurged = db.prepare<[], string>('SELECT id FROM deleted_projects WHERE purged_at IS NULL').pluck();
    this.#purged = db.prepare('UPDATE deleted_projects SET purged_at = ? WHERE id = ? AND purged_at IS NULL');
  }

  /** `exempt`: the operator's own are not held to the organization's limit. */
  create(orgId: string, name: string, by: Actor, exempt = false): { project: Project; secretKey: string } {
    const { connection, keys, audit } = this.#parts;
    const id = newId('prj_');
    const checked = checkName(name, 'project');
    return connection.write(() => {
      const { limits } = this.#parts.organizations.get(orgId);
      if (!exempt) this.#checkLimit(orgId, limits.projects);
      const { retentionDays, ipPolicy, timezone } = DEFAULT_SETTINGS;
      this.#insert.run(id, orgId, checked, connection.now(), retentionDays, ipPolicy, timezone);
      keys.createPublic(id);
      const secretKey = keys.createSecret(id);
      audit.append(orgId, 'project.create', id, by);
      return { project: this.get(id), secretKey };
    });
  }

  find(id: string): Project | null {
    const row = this.#find.get(id);
    return row === undefined ? null : this.#project(row);
  }

  get(id: string): Project {
    return this.find(id) ?? notFound(id);
  }

  list(orgId?: string): Project[] {
    const rows = orgId === undefined ? this.#all.all() : this.#ofOrg.all(orgId);
    return rows.map((row) => this.#project(row));
  }

  change(id: string, changes: Partial<ProjectSettings>): Project {
    return this.#parts.connection.write(() => {
      const settings = changeSettings(this.get(id).settings, changes);
      this.#update.run(settings.retentionDays, settings.ipPolicy, settings.timezone, id);
      return this.get(id);
    });
  }

  /** null: everything works again. */
  suspend(id: string, suspension: Suspension | null, by: Actor): Project {
    const { connection, audit } = this.#parts;
    const reason = suspension === null ? '' : checkName(suspension.reason, 'reason');
    return connection.write(() => {
      const { orgId } = this.get(id);
      if (suspension === null) this.#resume.run(id);
      else this.#suspend.run(id, suspension.what, reason);
      audit.append(orgId, suspension === null ? 'project.resume' : 'project.suspend', id, by);
      return this.get(id);
    });
  }

  rotateSecretKey(id: string, graceMs: number, by: Actor): { project: Project; secretKey: string } {
    const { connection, keys, audit } = this.#parts;
    return connection.write(() => {
      const project = this.get(id);
      audit.append(project.orgId, 'key.rotate', id, by);
      return { project, secretKey: keys.rotateSecret(id, graceMs) };
    });
  }

  /** Keys and tokens go with the project at once; a record stays until `purged` says that its events are gone. */
  delete(id: string, by: Actor): void {
    const { connection, audit } = this.#parts;
    connection.write(() => {
      const { orgId } = this.get(id);
      this.#delete.run(id);
      this.#bury.run(id, orgId, connection.now());
      audit.append(orgId, 'project.delete', id, by);
    });
  }

  unpurged(): string[] {
    return this.#unpurged.all();
  }

  /** Inside a transaction of the caller. */
  purged(id: string): void {
    this.#purged.run(this.#parts.connection.now(), id);
  }

  #checkLimit(orgId: string, limit: number | null): void {
    if (limit === null || (this.#count.get(orgId) ?? 0) < limit) return;
    throw new AppError('limit_reached', `The organization has as many projects as it may have (${limit}).`, {
      hints: ['Delete a project, or let the operator raise the limit: wl admin limits ORG --projects N.'],
    });
  }

  #project(row: ProjectRow): Project {
    const { retentionDays, ipPolicy, timezone, suspended: what, because, ...rest } = row;
    const publicKey = this.#parts.keys.publicKey(row.id);
    const suspended = what === null ? null : { what, reason: because ?? '' };
    return { ...rest, publicKey, settings: { retentionDays, ipPolicy, timezone }, suspended };
  }
}

function notFound(id: string): never {
  throw new AppError('not_found', `there is no project "${id}"`);
}
