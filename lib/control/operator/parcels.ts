/** The control database's part of a project, as plain data that goes to another host, and back. */
import { AppError } from '../../base/errors.ts';
import type { Audit } from '../audit.ts';
import type { ControlConnection } from '../storage/connection.ts';
import { hashKey } from '../key-text.ts';
import type { Keys } from '../keys.ts';
import { ADD_VERSION } from '../projects/dashboards.ts';
import type { Projects } from '../projects/projects.ts';
import { INSERT as INSERT_TOKEN } from '../projects/tokens.ts';
import type { Actor, Project, ProjectSettings } from '../types.ts';

interface PackedVersion {
  readonly version: number;
  readonly yaml: string;
  readonly checked: string;
  readonly at: number;
  readonly by: string;
}

interface PackedDashboard {
  readonly id: string;
  readonly title: string;
  readonly place: number | null;
  readonly version: number;
  readonly versions: readonly PackedVersion[];
}

interface PackedToken {
  readonly id: string;
  /** SHA-256 of the token in hex. */
  readonly hash: string;
  readonly name: string;
  readonly prefix: string;
  readonly scopes: string;
  readonly expires_at: number;
  readonly created_at: number;
  readonly created_by: string;
}

/** Dashboards are the project's: members' own stay behind. */
export interface Parcel {
  readonly id: string;
  readonly name: string;
  readonly settings: ProjectSettings;
  readonly dashboards: readonly PackedDashboard[];
  /** null: they stay behind. */
  readonly keys: {
    readonly public_key: string;
    readonly secret_key: string;
    readonly tokens: readonly PackedToken[];
  } | null;
}

export interface Unpacking {
  readonly orgId: string;
  readonly name: string;
  readonly keepKeys: boolean;
  /** Puts the events of the new project in place; the rows count when it returns. */
  readonly place: (id: string) => void;
}

interface Parts {
  readonly connection: ControlConnection;
  readonly projects: Projects;
  readonly keys: Keys;
  readonly audit: Audit;
}

export class Parcels {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Throws AppError `not_found`. With keys, the parcel holds the project's secret key. */
  pack(projectId: string, withKeys: boolean): Parcel {
    const { projects } = this.#parts;
    const { id, name, settings } = projects.get(projectId);
    return { id, name, settings, dashboards: this.#dashboards(id), keys: withKeys ? this.#keys(id) : null };
  }

  /** Records the export of a project in the audit trail. */
  exported(projectId: string, by: Actor): void {
    const { connection, projects, audit } = this.#parts;
    connection.write(() => audit.append(projects.get(projectId).orgId, 'project.export', projectId, by));
  }

  /** A new project, completely or not at all. Throws AppError `conflict` if a key is in use. */
  unpack(
    parcel: Parcel,
    { orgId, name, keepKeys, place }: Unpacking,
    by: Actor,
  ): { project: Project; secretKey: string } {
    const { connection, projects, keys, audit } = this.#parts;
    return connection.write(() => {
      const { project, secretKey } = projects.create(orgId, name, by, true);
      const { id } = project;
      projects.change(id, parcel.settings);
      for (const dashboard of parcel.dashboards) this.#addDashboard(id, dashboard);
      if (keepKeys) this.#takeKeys(id, parcel);
      audit.append(orgId, 'project.import', `${id}/from:${parcel.id}`, by);
      place(id);
      return { project: projects.get(id), secretKey: keepKeys ? keys.secretKey(id) : secretKey };
    });
  }

  #dashboards(projectId: string): PackedDashboard[] {
    const { connection } = this.#parts;
    const all =
      'SELECT key, id, title, place, version FROM dashboards WHERE project_id = ? AND owner IS NULL ORDER BY key';
    const versions =
      'SELECT version, yaml, checked, at, by FROM dashboard_versions WHERE dashboard = ? ORDER BY version';
    return connection
      .rows<Omit<PackedDashboard, 'versions'> & { key: number }>(all, projectId)
      .map(({ key, ...dashboard }) => ({ ...dashboard, versions: connection.rows<PackedVersion>(versions, key) }));
  }

  #addDashboard(projectId: string, { id, title, place, version, versions }: PackedDashboard): void {
    const { connection } = this.#parts;
    const insert =
      'INSERT INTO dashboards (project_id, owner, id, title, place, version) VALUES (?, NULL, ?, ?, ?, ?) RETURNING key';
    const key = connection.value<number>(insert, projectId, id, title, place, version)!;
    for (const each of versions)
      connection.run(ADD_VERSION, key, each.version, each.yaml, each.checked, each.at, each.by);
  }

  #keys(projectId: string): NonNullable<Parcel['keys']> {
    const { connection, keys } = this.#parts;
    const sql = `SELECT id, lower(hex(hash)) AS hash, name, prefix, scopes, expires_at, created_at, created_by FROM tokens
      WHERE project_id = ? ORDER BY created_at, rowid`;
    const tokens = connection.rows<PackedToken>(sql, projectId);
    return { public_key: keys.publicKey(projectId), secret_key: keys.secretKey(projectId), tokens };
  }

  #takeKeys(projectId: string, { keys: kept }: Parcel): void {
    const { connection, keys } = this.#parts;
    if (kept === null) {
      throw new AppError('bad_request', 'the file has no keys: it was exported without --keep-keys', {
        hints: ['import it without --keep-keys: the project gets new ones'],
      });
    }
    for (const key of [kept.public_key, kept.secret_key]) if (keys.find(hashKey(key)) !== undefined) throw inUse();
    keys.take(projectId, kept);
    for (const { id, hash, name, prefix, scopes, ...token } of kept.tokens) {
      const bytes = Buffer.from(hash, 'hex');
      if (connection.row('SELECT 1 FROM tokens WHERE id = ? OR hash = ?', id, bytes) !== undefined) throw inUse();
      const values = [id, projectId, bytes, name, prefix, scopes, token.expires_at, token.created_at, token.created_by];
      connection.run(INSERT_TOKEN, ...values);
    }
  }
}

function inUse(): AppError {
  return new AppError('conflict', 'a key of the file is in use on this host', {
    hints: ['the project it came from is still here: import without --keep-keys, or delete that one first'],
  });
}
