import { AppError } from '../../base/errors.ts';
import type { Audit } from '../audit.ts';
import type { ControlConnection } from '../storage/connection.ts';
import type { Projects } from './projects.ts';
import type { Actor } from '../types.ts';

/** Dashboards of a project, including those of its members. */
export const MAX_DASHBOARDS = 500;
/** Versions kept of a dashboard; the oldest are deleted. */
export const MAX_VERSIONS = 50;

/** A stored dashboard as listed. */
export interface StoredDashboard {
  readonly id: string;
  readonly title: string;
  readonly order: number | null;
  /** The only account that sees it; null: everybody in the project does. */
  readonly owner: string | null;
  readonly version: number;
  /** When and by whom this version was written. */
  readonly at: number;
  readonly by: string;
}

export interface DashboardText extends StoredDashboard {
  /** As it was written. */
  readonly yaml: string;
  /** JSON of the parsed dashboard. */
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

/** Names a dashboard of a project: `owner` null is the project's. */
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
const LIST = `
  SELECT ${COLUMNS} FROM dashboards d JOIN dashboard_versions v ON v.dashboard = d.key AND v.version = d.version
  WHERE d.project_id = ? AND (d.owner IS NULL OR d.owner = ?) ORDER BY d.place IS NULL, d.place, d.title, d.id, d.owner`;
const READ = `
  SELECT ${COLUMNS}, v.yaml, v.checked FROM dashboards d JOIN dashboard_versions v ON v.dashboard = d.key
  WHERE d.key = ? AND v.version = ?`;
export const ADD_VERSION =
  'INSERT INTO dashboard_versions (dashboard, version, yaml, checked, at, by) VALUES (?, ?, ?, ?, ?, ?)';

interface Parts {
  readonly connection: ControlConnection;
  readonly projects: Projects;
  readonly audit: Audit;
}

/** Stored dashboards. A written version never changes; the newest is shown. */
export class Dashboards {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The project's and the account's, in page order. */
  list(projectId: string, accountId: string | null): StoredDashboard[] {
    return this.#parts.connection.rows<StoredDashboard>(LIST, projectId, accountId);
  }

  /** The newest version, or the given one. null: there is none. */
  find(name: DashboardName, version: number | null = null): DashboardText | null {
    const row = this.#row(name);
    return row === undefined ? null : (this.#text(row.key, version ?? row.version) ?? null);
  }

  /** Adds a version, unless the newest has the same text. Throws AppError `limit_reached` if the project has too many. */
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
      const { key, version } = this.#row(wanted)!;
      const { title, order, yaml, checked } = wanted;
      connection.run(ADD_VERSION, key, version + 1, yaml, checked, connection.now(), by.name);
      const update = 'UPDATE dashboards SET title = ?, place = ?, version = ? WHERE key = ?';
      connection.run(update, title, order, version + 1, key);
      const sweep = 'DELETE FROM dashboard_versions WHERE dashboard = ? AND version <= ?';
      connection.run(sweep, key, version + 1 - MAX_VERSIONS);
      this.#audit(wanted, `version:${version + 1}`, by);
      return { stored: this.#text(key, version + 1)!, outcome: before === null ? 'created' : 'changed' };
    });
  }

  /** With all its versions. Returns whether there was one. */
  delete(name: DashboardName, by: Actor): boolean {
    const { connection } = this.#parts;
    return connection.write(() => {
      const row = this.#row(name);
      if (row === undefined) return false;
      connection.run('DELETE FROM dashboards WHERE key = ?', row.key);
      this.#audit(name, 'deleted', by);
      return true;
    });
  }

  #create({ projectId, id, owner }: NewVersion): void {
    const { connection, projects } = this.#parts;
    projects.get(projectId);
    const count = connection.value<number>('SELECT count(*) FROM dashboards WHERE project_id = ?', projectId) ?? 0;
    if (count >= MAX_DASHBOARDS) {
      throw new AppError('limit_reached', `a project may have ${MAX_DASHBOARDS} dashboards`, {
        hints: ['delete dashboards that nobody uses'],
      });
    }
    const sql = "INSERT INTO dashboards (project_id, owner, id, title, version) VALUES (?, ?, ?, '', 0)";
    connection.run(sql, projectId, owner, id);
  }

  #row({ projectId, id, owner }: DashboardName): Row | undefined {
    const sql = "SELECT key, version FROM dashboards WHERE project_id = ? AND id = ? AND coalesce(owner, '') = ?";
    return this.#parts.connection.row<Row>(sql, projectId, id, owner ?? '');
  }

  #text(key: number, version: number): DashboardText | undefined {
    return this.#parts.connection.row<DashboardText>(READ, key, version);
  }

  #audit({ projectId, id, owner }: DashboardName, what: string, by: Actor): void {
    const { projects, audit } = this.#parts;
    const whose = owner === null ? '' : 'personal-';
    audit.append(projects.get(projectId).orgId, 'dashboard.write', `${projectId}/${whose}dashboard:${id}/${what}`, by);
  }
}
