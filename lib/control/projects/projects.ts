import { AppError } from '../../base/errors.ts';
import type { IpPolicy } from '../../base/project.ts';
import type { Audit } from '../audit.ts';
import type { ControlConnection } from '../storage/connection.ts';
import type { Flusher } from '../storage/flusher.ts';
import { newId } from '../key-text.ts';
import type { Keys } from '../keys.ts';
import { checkName } from '../names.ts';
import type { Organizations } from '../organizations.ts';
import { changeSettings, DEFAULT_SETTINGS } from './settings.ts';
import type { Actor, Project, ProjectSettings, Suspender, Suspension } from '../types.ts';
import type { Usage } from '../usage/usage.ts';

interface ProjectRow {
  id: string;
  orgId: string;
  weight: number;
  name: string;
  createdAt: number;
  retentionDays: number | null;
  ipPolicy: IpPolicy;
  timezone: string;
  held: Suspension['what'] | null;
  heldBecause: string | null;
  paused: Suspension['what'] | null;
  pausedBecause: string | null;
}

const COLUMNS = `id, org_id AS orgId, name, created_at AS createdAt,
  (SELECT weight FROM organizations WHERE id = org_id) AS weight,
  retention_days AS retentionDays, ip_policy AS ipPolicy, timezone,
  held.what AS held, held.reason AS heldBecause, paused.what AS paused, paused.reason AS pausedBecause FROM projects
  LEFT JOIN suspensions AS held ON held.project_id = id AND held.suspender = 'operator'
  LEFT JOIN suspensions AS paused ON paused.project_id = id AND paused.suspender = 'organization'`;

interface Parts {
  readonly connection: ControlConnection;
  readonly keys: Keys;
  readonly organizations: Organizations;
  readonly audit: Audit;
  readonly usage: Usage;
  readonly flusher: Flusher;
}

export class Projects {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Throws AppError `limit_reached` if the organization is at its limit; `exempt`: the operator creates it. */
  create(orgId: string, name: string, by: Actor, exempt = false): { project: Project; secretKey: string } {
    const { connection, keys, audit } = this.#parts;
    const id = newId('prj_');
    const checked = checkName(name, 'project');
    return connection.write(() => {
      const { limits } = this.#parts.organizations.get(orgId);
      if (!exempt) this.#checkLimit(orgId, limits.projects);
      const { retentionDays, ipPolicy, timezone } = DEFAULT_SETTINGS;
      const sql =
        'INSERT INTO projects (id, org_id, name, created_at, retention_days, ip_policy, timezone) VALUES (?, ?, ?, ?, ?, ?, ?)';
      connection.run(sql, id, orgId, checked, connection.now(), retentionDays, ipPolicy, timezone);
      keys.createPublic(id);
      const secretKey = keys.createSecret(id);
      audit.append(orgId, 'project.create', id, by);
      return { project: this.get(id), secretKey };
    });
  }

  find(id: string): Project | null {
    const row = this.#parts.connection.row<ProjectRow>(`SELECT ${COLUMNS} WHERE id = ?`, id);
    return row === undefined ? null : this.#project(row);
  }

  get(id: string): Project {
    return this.find(id) ?? notFound(id);
  }

  /** Of one or all organizations, ordered by creation. */
  list(orgId?: string): Project[] {
    const [condition, values] = orgId === undefined ? ['', []] : ['WHERE org_id = ?', [orgId]];
    const sql = `SELECT ${COLUMNS} ${condition} ORDER BY created_at, rowid`;
    return this.#parts.connection.rows<ProjectRow>(sql, ...values).map((row) => this.#project(row));
  }

  /** The current secret key (`sk_`). */
  secretKey(id: string): string {
    return this.#parts.keys.secretKey(id);
  }

  /** Changes the given settings. */
  change(id: string, changes: Partial<ProjectSettings>): Project {
    const { connection } = this.#parts;
    return connection.write(() => {
      const settings = changeSettings(this.get(id).settings, changes);
      const sql = 'UPDATE projects SET retention_days = ?, ip_policy = ?, timezone = ? WHERE id = ?';
      connection.run(sql, settings.retentionDays, settings.ipPolicy, settings.timezone, id);
      return this.get(id);
    });
  }

  /** Switches ingest, queries or both off at once. Replaces what the same suspender has switched off. */
  suspend(id: string, { by: suspender, what, reason }: Suspension, by: Actor): Project {
    const { connection, audit } = this.#parts;
    const told = checkName(reason, 'reason');
    return connection.write(() => {
      const { orgId } = this.get(id);
      const sql = 'INSERT OR REPLACE INTO suspensions (project_id, suspender, what, reason) VALUES (?, ?, ?, ?)';
      connection.run(sql, id, suspender, what, told);
      audit.append(orgId, 'project.suspend', id, by);
      return this.get(id);
    });
  }

  /** Lifts the suspender's suspension and leaves the other's. */
  resume(id: string, suspender: Suspender, by: Actor): Project {
    const { connection, audit } = this.#parts;
    return connection.write(() => {
      const { orgId } = this.get(id);
      const sql = 'DELETE FROM suspensions WHERE project_id = ? AND suspender = ?';
      if (connection.run(sql, id, suspender) > 0) audit.append(orgId, 'project.resume', id, by);
      return this.get(id);
    });
  }

  /** A new secret key; the old one works for `graceMs` more. */
  rotateSecretKey(id: string, graceMs: number, by: Actor): { project: Project; secretKey: string } {
    const { connection, keys, audit } = this.#parts;
    return connection.write(() => {
      const project = this.get(id);
      audit.append(project.orgId, 'key.rotate', id, by);
      return { project, secretKey: keys.rotateSecret(id, graceMs) };
    });
  }

  /**
   * Deletes the project with its keys and tokens at once; its usage stays. The caller then drops its events and calls
   * `markPurged`; what a crash leaves undone is in `unpurged` at the next start.
   */
  delete(id: string, by: Actor): void {
    const { connection, audit, flusher } = this.#parts;
    flusher.flush();
    connection.write(() => {
      const { orgId } = this.get(id);
      connection.run('DELETE FROM projects WHERE id = ?', id);
      const sql = 'INSERT INTO deleted_projects (id, org_id, deleted_at) VALUES (?, ?, ?)';
      connection.run(sql, id, orgId, connection.now());
      audit.append(orgId, 'project.delete', id, by);
    });
  }

  /** Ids of deleted projects whose events may still be on disk. */
  unpurged(): string[] {
    return this.#parts.connection.values('SELECT id FROM deleted_projects WHERE purged_at IS NULL');
  }

  markPurged(id: string): void {
    const { connection, usage } = this.#parts;
    connection.write(() => {
      const sql = 'UPDATE deleted_projects SET purged_at = ? WHERE id = ? AND purged_at IS NULL';
      connection.run(sql, connection.now(), id);
      usage.forgetBytes(id);
    });
  }

  #checkLimit(orgId: string, limit: number | null): void {
    const sql = 'SELECT count(*) FROM projects WHERE org_id = ?';
    if (limit === null || (this.#parts.connection.value<number>(sql, orgId) ?? 0) < limit) return;
    throw new AppError('limit_reached', `The organization has reached its limit of ${limit} projects.`, {
      hints: ['Delete a project, or ask the operator to raise the limit: wl admin limits ORG --projects N.'],
    });
  }

  #project(row: ProjectRow): Project {
    const { retentionDays, ipPolicy, timezone, held, heldBecause, paused, pausedBecause, ...rest } = row;
    const publicKey = this.#parts.keys.publicKey(row.id);
    const suspensions = [
      ...suspension('operator', held, heldBecause),
      ...suspension('organization', paused, pausedBecause),
    ];
    return { ...rest, publicKey, settings: { retentionDays, ipPolicy, timezone }, suspensions };
  }
}

function suspension(by: Suspender, what: Suspension['what'] | null, reason: string | null): readonly Suspension[] {
  return what === null ? [] : [{ by, what, reason: reason ?? '' }];
}

function notFound(id: string): never {
  throw new AppError('not_found', `there is no project "${id}"`);
}
