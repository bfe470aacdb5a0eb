import { sql } from 'kysely';
import { AppError } from '../../base/errors.ts';
import { whenHere, type Soon } from '../../base/soon.ts';
import type { Audit } from '../audit.ts';
import { type ControlConnection, countOf, CompiledOnce, THE_ID } from '../storage/connection.ts';
import type { Flusher } from '../storage/flusher.ts';
import { newId } from '../key-text.ts';
import type { Keys } from '../keys.ts';
import { checkName, notFound } from '../names.ts';
import type { Organizations } from '../organizations.ts';
import type { Actor, Project, ProjectSettings, Suspender, Suspension } from '../types.ts';
import type { Usage } from '../usage/usage.ts';
import { IP_POLICIES } from '../../base/project.ts';
import { zoneName } from '../../base/zone-name.ts';

interface ProjectRow extends ProjectSettings, Omit<Project, 'publicKey' | 'settings' | 'suspensions'> {
  publicKey: string | null;
  held: Suspension['what'] | null;
  heldBecause: string | null;
  paused: Suspension['what'] | null;
  pausedBecause: string | null;
}

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
  readonly #byId: CompiledOnce<ProjectRow>;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#byId = new CompiledOnce(parts.connection, () => this.#select().where('projects.id', '=', THE_ID));
  }

  /** Throws AppError `limit_reached` if the organization is at its limit; `exempt`: the operator creates it. */
  async create(
    orgId: string,
    name: string,
    by: Actor,
    exempt = false,
  ): Promise<{ project: Project; secretKey: string }> {
    const { connection, keys, audit } = this.#parts;
    const id = newId('prj_');
    const checked = checkName(name, 'project');
    return connection.write(async () => {
      const { limits } = await this.#parts.organizations.get(orgId);
      if (!exempt) await this.#checkLimit(orgId, limits.projects);
      const { retentionDays, ipPolicy, timezone } = DEFAULT_SETTINGS;
      const settings = { retention_days: retentionDays, ip_policy: ipPolicy, timezone };
      const row = { id, org_id: orgId, name: checked, created_at: connection.now(), ...settings };
      await connection.db.insertInto('projects').values(row).execute();
      await keys.createPublic(id);
      const secretKey = await keys.createSecret(id);
      await audit.append(orgId, 'project.create', id, by);
      return { project: await this.get(id), secretKey };
    });
  }

  async find(id: string): Promise<Project | null> {
    const row = await this.#byId.first({ id });
    return row === undefined ? null : projectOf(row);
  }

  async get(id: string): Promise<Project> {
    return this.look(id);
  }

  /** The same, at once if the database is here. */
  look(id: string): Soon<Project> {
    return whenHere(this.#byId.first({ id }), (row) =>
      row === undefined ? notFound(`project "${id}"`) : projectOf(row),
    );
  }

  /** Of one or all organizations, ordered by creation. */
  async list(orgId?: string): Promise<Project[]> {
    const all = this.#select().orderBy('projects.created_at').orderBy('projects.rowid');
    return (await (orgId === undefined ? all : all.where('projects.org_id', '=', orgId)).execute()).map(projectOf);
  }

  /** The same of an organization, some at a time: thousands at once would hold the event loop for a tenth of a second. */
  async *pages(orgId: string): AsyncGenerator<readonly Project[]> {
    const all = this.#select().select('projects.rowid').where('projects.org_id', '=', orgId);
    const ordered = all.orderBy('projects.created_at').orderBy('projects.rowid').limit(PAGE);
    for (let next = ordered; ;) {
      const rows = await next.execute();
      yield rows.map(({ rowid: _rowid, ...row }) => projectOf(row));
      const last = rows[PAGE - 1];
      if (last === undefined) return;
      const { createdAt, rowid } = last;
      next = ordered
        .where('projects.created_at', '>=', createdAt)
        .where((one) => one.or([one('projects.created_at', '>', createdAt), one('projects.rowid', '>', rowid)]));
    }
  }

  /** The oldest of an organization, at most `most`, and how many it has. */
  async oldest(orgId: string, most: number): Promise<{ readonly projects: Project[]; readonly count: number }> {
    const oldest = this.#select().orderBy('projects.created_at').orderBy('projects.rowid').limit(most);
    const projects = (await oldest.where('projects.org_id', '=', orgId).execute()).map(projectOf);
    return { projects, count: projects.length < most ? projects.length : await countOf(this.#of(orgId)) };
  }

  /** The names of an organization's projects among these ids, by id. */
  async names(orgId: string, ids: readonly string[]): Promise<Map<string, string>> {
    if (ids.length === 0) return new Map(); // PostgreSQL knows no empty list
    const rows = await this.#of(orgId).select(['id', 'name']).where('id', 'in', ids).execute();
    return new Map(rows.map(({ id, name }) => [id, name]));
  }

  /** The current secret key (`sk_`). */
  secretKey(id: string): Promise<string> {
    return this.#parts.keys.secretKey(id);
  }

  async change(id: string, changes: Partial<ProjectSettings>): Promise<Project> {
    const { connection } = this.#parts;
    return connection.write(async () => {
      const settings = changeSettings((await this.get(id)).settings, changes);
      const { retentionDays: retention_days, ipPolicy: ip_policy, timezone } = settings;
      const update = connection.db.updateTable('projects').set({ retention_days, ip_policy, timezone });
      await update.where('id', '=', id).execute();
      return this.get(id);
    });
  }

  /** Switches ingest, queries or both off at once. Replaces what the same suspender has switched off. */
  async suspend(id: string, { by: suspender, what, reason }: Suspension, by: Actor): Promise<Project> {
    const { connection, audit } = this.#parts;
    const told = checkName(reason, 'reason');
    return connection.write(async () => {
      const { orgId } = await this.get(id);
      const held = { what, reason: told };
      const insert = connection.db.insertInto('suspensions').values({ project_id: id, suspender, ...held });
      await insert.onConflict((known) => known.columns(['project_id', 'suspender']).doUpdateSet(held)).execute();
      await audit.append(orgId, 'project.suspend', id, by);
      return this.get(id);
    });
  }

  /** Lifts the suspender's suspension and leaves the other's. */
  async resume(id: string, suspender: Suspender, by: Actor): Promise<Project> {
    const { connection, audit } = this.#parts;
    return connection.write(async () => {
      const { orgId } = await this.get(id);
      const suspensions = connection.db.deleteFrom('suspensions').where('project_id', '=', id);
      const { numDeletedRows } = await suspensions.where('suspender', '=', suspender).executeTakeFirst();
      if (numDeletedRows > 0n) await audit.append(orgId, 'project.resume', id, by);
      return this.get(id);
    });
  }

  /** A new secret key; the old one works for `graceMs` more. */
  async rotateSecretKey(id: string, graceMs: number, by: Actor): Promise<{ project: Project; secretKey: string }> {
    const { connection, keys, audit } = this.#parts;
    return connection.write(async () => {
      const project = await this.get(id);
      await audit.append(project.orgId, 'key.rotate', id, by);
      return { project, secretKey: await keys.rotateSecret(id, graceMs) };
    });
  }

  /**
   * Deletes the project with its keys and tokens at once; its usage stays. The caller then drops its events and calls
   * `markPurged`; what a crash leaves undone is in `unpurged` at the next start.
   */
  async delete(id: string, by: Actor): Promise<void> {
    const { connection, flusher } = this.#parts;
    await flusher.flush();
    await connection.write(() => this.remove(id, by));
  }

  /** The same, inside a transaction of the caller. */
  async remove(id: string, by: Actor): Promise<void> {
    const { connection, audit } = this.#parts;
    const { orgId } = await this.get(id);
    const { db, now } = connection;
    await db.deleteFrom('projects').where('id', '=', id).execute();
    await db.insertInto('deleted_projects').values({ id, org_id: orgId, deleted_at: now() }).execute();
    await audit.append(orgId, 'project.delete', id, by);
  }

  /** Ids of deleted projects whose events may still be on disk. */
  async unpurged(): Promise<string[]> {
    const deleted = this.#parts.connection.db.selectFrom('deleted_projects').select('id');
    return (await deleted.where('purged_at', 'is', null).execute()).map(({ id }) => id);
  }

  /** Ids of all deleted projects. */
  async deleted(): Promise<string[]> {
    return (await this.#parts.connection.db.selectFrom('deleted_projects').select('id').execute()).map(({ id }) => id);
  }

  async markPurged(id: string): Promise<void> {
    const { connection, usage } = this.#parts;
    await connection.write(async () => {
      const update = connection.db.updateTable('deleted_projects').set({ purged_at: connection.now() });
      await update.where('id', '=', id).where('purged_at', 'is', null).execute();
      await usage.forgetBytes(id);
    });
  }

  async #checkLimit(orgId: string, limit: number | null): Promise<void> {
    if (limit === null || (await countOf(this.#of(orgId))) < limit) return;
    throw new AppError('limit_reached', `The organization has reached its limit of ${limit} projects.`, {
      hints: ['Delete a project, or ask the operator to raise the limit: wl admin limits ORG --projects N.'],
    });
  }

  #of(orgId: string) {
    return this.#parts.connection.db.selectFrom('projects').where('org_id', '=', orgId);
  }

  #select() {
    const { db } = this.#parts.connection;
    const by = (suspender: Suspender) =>
      db.selectFrom('suspensions').select(['project_id', 'what', 'reason']).where('suspender', '=', sql.lit(suspender));
    const settings = ['retention_days as retentionDays', 'ip_policy as ipPolicy', 'timezone'] as const;
    return db
      .selectFrom('projects')
      .innerJoin('organizations', 'organizations.id', 'projects.org_id')
      .innerJoin('keys', (key) =>
        key
          .onRef('keys.project_id', '=', 'projects.id')
          .on('kind', '=', sql.lit('public'))
          .on('expires_at', 'is', null),
      )
      .leftJoin(by('operator').as('held'), 'held.project_id', 'projects.id')
      .leftJoin(by('organization').as('paused'), 'paused.project_id', 'projects.id')
      .select(['projects.id', 'projects.org_id as orgId', 'organizations.weight', 'projects.name'])
      .select(['keys.plain as publicKey', 'projects.created_at as createdAt', ...settings])
      .select(['held.what as held', 'held.reason as heldBecause', 'paused.what as paused'])
      .select('paused.reason as pausedBecause');
  }
}

function projectOf(row: ProjectRow): Project {
  const { publicKey, retentionDays, ipPolicy, timezone, held, heldBecause, paused, pausedBecause, ...rest } = row;
  const suspensions = [
    ...suspension('operator', held, heldBecause),
    ...suspension('organization', paused, pausedBecause),
  ];
  return { ...rest, publicKey: publicKey ?? '', settings: { retentionDays, ipPolicy, timezone }, suspensions };
}

function suspension(by: Suspender, what: Suspension['what'] | null, reason: string | null): readonly Suspension[] {
  return what === null ? [] : [{ by, what, reason: reason ?? '' }];
}

/** Projects read at once. */
export const PAGE = 100;

const DEFAULT_SETTINGS: ProjectSettings = { retentionDays: null, ipPolicy: 'anonymized', timezone: 'UTC' };

const MAX_RETENTION_DAYS = 36_500;

/** `settings` with `changes`. Throws AppError `bad_request` for an invalid value. */
function changeSettings(settings: ProjectSettings, changes: Partial<ProjectSettings>): ProjectSettings {
  const { retentionDays, ipPolicy, timezone } = { ...settings, ...changes };
  if (retentionDays !== null && !isRetention(retentionDays)) {
    throw new AppError('bad_request', `retention_days must be a whole number of days from 1 to ${MAX_RETENTION_DAYS}`, {
      hints: ['leave it empty (null, `none`) to keep events forever'],
    });
  }
  if (!IP_POLICIES.includes(ipPolicy))
    throw new AppError('bad_request', `ip_policy must be one of ${IP_POLICIES.join(', ')}`);
  return { retentionDays, ipPolicy, timezone: checkTimezone(timezone) };
}

function checkTimezone(timezone: string): string {
  const name = zoneName(timezone);
  if (name !== null) return name;
  throw new AppError('bad_request', `unknown timezone "${timezone}"`, {
    hints: ['use an IANA name such as Europe/Paris or UTC'],
  });
}

function isRetention(days: number): boolean {
  return Number.isInteger(days) && days >= 1 && days <= MAX_RETENTION_DAYS;
}
