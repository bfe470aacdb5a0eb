import type Database from 'better-sqlite3';
import { AppError } from '../../base/errors.ts';
import type { Audit } from '../audit.ts';
import type { ControlConnection } from '../storage/connection.ts';
import type { Projects } from './projects.ts';
import type { Actor } from '../types.ts';

/** Dashboards of a project, those of its members included. */
export const MAX_DASHBOARDS = 500;
/** Versions of a dashboard that are kept; the oldest go. */
export const MAX_VERSIONS = 50;

/** What lists show of a stored dashboard. */
export interface StoredDashboard {
  readonly id: string;
  readonly title: string;
  readonly order: number | null;
  /** The account that alone sees it; null: everybody in the project does. */
  readonly owner: string | null;
  readonly version: number;
  /** When this version was written, and by whom. */
  readonly at: number;
  readonly by: string;
}

export interface DashboardText extends StoredDashboard {
  /** As it was written. */
  readonly yaml: string;
  /** JSON of the dashboard as it was read. */
  readonly checked: string;
}

export interface NewVersion {
  readonly projectId: string;
  readonly id: string;
  readonly owner: string | null;
  readonly title: string;
  readonly order: number | null;
  readonly yaml: string;
  readonly checked: string;
}

/** Which dashboard of a project: `owner` null is the project's. */
export interface DashboardName {
  readonly projectId: string;
  readonly id: string;
  readonly owner: string | null;
}

interface Row {
  readonly key: number;
  readonly version: number;
}

const COLUMNS = 'd.id, d.title, d.place AS "order", d.owner, v.version, v.at, v.by';
const NEWEST = 'FROM dashboards d JOIN dashboard_versions v ON v.dashboard = d.key AND v.version = d.version';

interface Parts {
  readonly connection: ControlConnection;
  readonly projects: Projects;
  readonly audit: Audit;
}

/** Stored dashboards. A version that is written is never changed; the newest is the one that is shown. */
export class Dashboards {
  readonly #parts: Parts;
  readonly #find: Database.Statement<[project: string, id: string, owner: string], Row>;
  readonly #list: Database.Statement<[project: string, account: string | null], StoredDashboard>;
  readonly #read: Database.Statement<[key: number, version: number], DashboardText>;
  readonly #count: Database.Statement<[string], number>;
  readonly #insert: Database.Statement<[project: string, owner: string | null, id: string]>;
  readonly #update: Database.Statement<[title: string, place: number | null, version: number, key: number]>;
  readonly #addVersion: Database.Statement<
    [key: number, version: number, yaml: string, checked: string, at: number, by: string]
  >;
  readonly #sweep: Database.Statement<[key: number, version: number]>;
  readonly #delete: Database.Statement<[number]>;

  constructor(parts: Parts) {
    this.#parts = parts;
    const { db } = parts.connection;
    this.#find = db.prepare(
      "SELECT key, version FROM dashboards WHERE project_id = ? AND id = ? AND coalesce(owner, '') = ?",
    );
    this.#list = db.prepare(
      `SELECT ${COLUMNS} ${NEWEST} WHERE d.project_id = ? AND (d.owner IS NULL OR d.owner = ?)
       ORDER BY d.place IS NULL, d.place, d.title, d.id, d.owner`,
    );
    this.#read = db.prepare(
      `SELECT ${COLUMNS}, v.yaml, v.checked FROM dashboards d JOIN dashboard_versions v ON v.dashboard = d.key
       WHERE d.key = ? AND v.version = ?`,
    );
    this.#count = db.prepare<[string], number>('SELECT count(*) FROM dashboards WHERE project_id = ?').pluck();
    this.#insert = db.prepare("INSERT INTO dashboards (project_id, owner, id, title, version) VALUES (?, ?, ?, '', 0)");
    this.#update = db.prepare('UPDATE dashboards SET title = ?, place = ?, version = ? WHERE key = ?');
    this.#addVersion = db.prepare(
      'INSERT INTO dashboard_versions (dashboard, version, yaml, checked, at, by) VALUES (?, ?, ?, ?, ?, ?)',
    );
    this.#sweep = db.prepare('DELETE FROM dashboard_versions WHERE dashboard = ? AND version <= ?');
    this.#delete = db.prepare('DELETE FROM dashboards WHERE key = ?');
  }

  /** Those of the project and those of the account, in the order of pages. */
  list(projectId: string, accountId: string | null): StoredDashboard[] {
    return this.#list.all(projectId, accountId);
  }

  /** The newest version, or the one that is named. null: there is none. */
  find({ projectId, id, owner }: DashboardName, version: number | null = null): DashboardText | null {
    const row = this.#find.get(projectId, id, owner ?? '');
    return row === undefined ? null : (this.#read.get(row.key, version ?? row.version) ?? null);
  }

  /** Adds a version, unless the text is that of the newest. Throws AppError `limit_reached` when the project has too many. */
  write(
    wanted: NewVersion,
    by: Actor,
  ): { readonly stored: DashboardText; readonly outcome: 'created' | 'changed' | 'unchanged' } {
    const { connection } = this.#parts;
    return connection.write(() => {
      const before = this.find(wanted);
      if (before?.yaml === wanted.yaml && before.checked === wanted.checked)
        return { stored: before, outcome: 'unchanged' };
      if (before === null) this.#create(wanted);
      const { key, version } = this.#row(wanted);
      const { title, order, yaml, checked } = wanted;
      this.#addVersion.run(key, version + 1, yaml, checked, connection.now(), by.name);
      this.#update.run(title, order, version + 1, key);
      this.#sweep.run(key, version + 1 - MAX_VERSIONS);
      this.#audit(wanted, `version:${version + 1}`, by);
      return { stored: this.#text(key, version + 1), outcome: before === null ? 'created' : 'changed' };
    });
  }

  /** With all its versions. Answers whether there was one. */
  delete(name: DashboardName, by: Actor): boolean {
    return this.#parts.connection.write(() => {
      const row = this.#find.get(name.projectId, name.id, name.owner ?? '');
      if (row === undefined) return false;
      this.#delete.run(row.key);
      this.#audit(name, 'deleted', by);
      return true;
    });
  }

  #create({ projectId, id, owner }: NewVersion): void {
    this.#parts.projects.get(projectId);
    if ((this.#count.get(projectId) ?? 0) >= MAX_DASHBOARDS) {
      throw new AppError('limit_reached', `a project may have ${MAX_DASHBOARDS} dashboards`, {
        hints: ['delete dashboards that nobody uses'],
      });
    }
    this.#insert.run(projectId, owner, id);
  }

  #row({ projectId, id, owner }: DashboardName): Row {
    const row = this.#find.get(projectId, id, owner ?? '');
    if (row === undefined) throw new Error(`there is no dashboard ${id}`);
    return row;
  }

  #text(key: number, version: number): DashboardText {
    const text = this.#read.get(key, version);
    if (text === undefined) throw new Error(`dashboard ${key} has no version ${version}`);
    return text;
  }

  #audit({ projectId, id, owner }: DashboardName, what: string, by: Actor): void {
    const { projects, audit } = this.#parts;
    const whose = owner === null ? '' : 'personal-';
    audit.append(projects.get(projectId).orgId, 'dashboard.write', `${projectId}/${whose}dashboard:${id}/${what}`, by);
  }
}
