import { type SqlBool, sql } from 'kysely';
import { AppError } from '../../base/errors.ts';
import type { Audit } from '../audit.ts';
import { type ControlConnection, countOf, CompiledOnce, hasText, THE_ID } from '../storage/connection.ts';
import type { Flusher } from '../storage/flusher.ts';
import { newId } from '../key-text.ts';
import type { Keys } from '../keys.ts';
import { checkName, notFound } from '../names.ts';
import { type Organizations, suspensionChanges } from '../organizations.ts';
import type { Actor, Changes, Project, ProjectSettings, RetentionChange, Suspender, Suspension } from '../types.ts';
import { changeSettings, DEFAULT_SETTINGS, personalOf, settingsColumns } from './settings.ts';
import { type RetentionRemoval, RetentionChanges } from './retention-changes.ts';
import type { Usage } from '../usage/usage.ts';

interface ProjectRow
  extends
    Omit<ProjectSettings, 'personalProperties'>,
    Omit<Project, 'publicKey' | 'settings' | 'suspensions' | 'retention'> {
  /** JSON. */
  personalProperties: string;
  publicKey: string | null;
  held: Suspension['what'] | null;
  heldBecause: string | null;
  paused: Suspension['what'] | null;
  pausedBecause: string | null;
  orgHeld: Suspension['what'] | null;
  orgHeldBecause: string | null;
  nextDays: number | null;
  nextAt: number | null;
  nextEvents: number | null;
  lastDays: number | null;
  lastAt: number | null;
  lastEvents: number | null;
}

export interface ProjectChanges extends Partial<ProjectSettings> {
  readonly name?: string;
}

interface Creation {
  /** The operator creates it: no limit applies. */
  readonly exempt?: boolean;
  readonly settings?: Partial<ProjectSettings>;
}

interface Parts {
  readonly connection: ControlConnection;
  readonly keys: Keys;
  readonly organizations: Organizations;
  readonly audit: Audit;
  readonly usage: Usage;
  readonly flusher: Flusher;
}

export interface ProjectPage {
  readonly projects: readonly Project[];
  /** The cursor of the next page; null: this is the last. */
  readonly next: string | null;
}

/** Where a project stands in the order of creation. */
interface Place {
  readonly createdAt: number;
  readonly rowid: number;
}

const START: Place = { createdAt: 0, rowid: 0 };

export class Projects {
  readonly #parts: Parts;
  /** Shorter retentions that are to begin. */
  readonly retention: RetentionChanges;
  readonly #byId: CompiledOnce<ProjectRow>;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.retention = new RetentionChanges(parts.connection, parts.audit);
    this.#byId = new CompiledOnce(parts.connection, () => this.#select().where('projects.id', '=', THE_ID));
  }

  /** Throws AppError `limit_reached` if the organization is at its limit. */
  async create(
    orgId: string,
    name: string,
    by: Actor,
    { exempt = false, settings = {} }: Creation = {},
  ): Promise<{ project: Project; secretKey: string }> {
    const { connection, keys, audit } = this.#parts;
    const id = newId('prj_');
    const checked = checkName(name, 'project');
    return connection.write(async () => {
      const { limits } = await this.#parts.organizations.get(orgId);
      if (!exempt) await this.#checkLimit(orgId, limits.projects);
      const columns = settingsColumns(changeSettings(DEFAULT_SETTINGS, settings));
      const row = { id, org_id: orgId, name: checked, created_at: connection.now(), ...columns };
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
    return (await this.find(id)) ?? notFound(`project "${id}"`);
  }

  /** Of one or all organizations, ordered by creation. */
  async list(orgId?: string): Promise<Project[]> {
    const all = this.#select().orderBy('projects.created_at').orderBy('projects.rowid');
    return (await (orgId === undefined ? all : all.where('projects.org_id', '=', orgId)).execute()).map(projectOf);
  }

  /** The same of an organization, some at a time: thousands at once would hold the event loop for a tenth of a second. */
  async *pages(orgId: string): AsyncGenerator<readonly Project[]> {
    for (let place = START; ;) {
      const rows = await this.#after(place, PAGE).where('projects.org_id', '=', orgId).execute();
      yield rows.map(({ rowid: _rowid, ...row }) => projectOf(row));
      const last = rows[PAGE - 1];
      if (last === undefined) return;
      place = last;
    }
  }

  /** Some of all, in order of creation. `cursor`: the `next` of the page before. Throws AppError `not_found` for one that is none. */
  async page({ limit, cursor }: { readonly limit: number; readonly cursor: string | null }): Promise<ProjectPage> {
    const rows = await this.#after(cursor === null ? START : await this.#place(cursor), limit + 1).execute();
    const projects = rows.slice(0, limit).map(({ rowid: _rowid, ...row }) => projectOf(row));
    return { projects, next: rows.length > limit ? (projects.at(-1)?.id ?? null) : null };
  }

  async #place(id: string): Promise<Place> {
    const row = await this.#select().select('projects.rowid').where('projects.id', '=', id).executeTakeFirst();
    return row ?? notFound(`project "${id}"`, 'begin again, without `cursor`');
  }

  #after({ createdAt, rowid }: Place, limit: number) {
    const ordered = this.#select().select('projects.rowid').orderBy('projects.created_at').orderBy('projects.rowid');
    return ordered
      .limit(limit)
      .where('projects.created_at', '>=', createdAt)
      .where((one) => one.or([one('projects.created_at', '>', createdAt), one('projects.rowid', '>', rowid)]));
  }

  /** The oldest of an organization, at most `most`, and how many it has; of those with a text in their name or id, if one is given. */
  async oldest(
    orgId: string,
    most: number,
    text = '',
  ): Promise<{ readonly projects: Project[]; readonly count: number }> {
    const named = sql<SqlBool>`(${hasText('projects.name', text)} OR ${hasText('projects.id', text)})`;
    const first = this.#select().orderBy('projects.created_at').orderBy('projects.rowid').limit(most);
    const oldest = first.where('projects.org_id', '=', orgId).$if(text !== '', (all) => all.where(named));
    const projects = (await oldest.execute()).map(projectOf);
    if (projects.length < most) return { projects, count: projects.length };
    return { projects, count: await countOf(this.#of(orgId).$if(text !== '', (all) => all.where(named))) };
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

  /**
   * Changes name and settings. `removal`: what a shorter retention would remove, counted before; null: nothing is shorter. Throws
   * AppError `conflict` if it removes events and is not confirmed, or if the retention is no longer what it was then.
   */
  async change(
    id: string,
    changes: ProjectChanges,
    by: Actor,
    removal: RetentionRemoval | null = null,
  ): Promise<Project> {
    const { connection, audit } = this.#parts;
    return connection.write(async () => {
      const project = await this.get(id);
      const name = changes.name === undefined ? project.name : checkName(changes.name, 'project');
      const { retentionDays: wanted, ...settings } = changeSettings(project.settings, changes);
      const asked = changes.retentionDays === undefined ? null : await this.retention.ask(project, wanted, removal);
      const retentionDays = asked === null ? wanted : asked.now;
      const columns = { name, ...settingsColumns({ ...settings, retentionDays }) };
      await connection.db.updateTable('projects').set(columns).where('id', '=', id).execute();
      const told: Changes = {
        name: { from: project.name, to: name },
        ...asked?.changes,
        ip_policy: { from: project.settings.ipPolicy, to: settings.ipPolicy },
        timezone: { from: project.settings.timezone, to: settings.timezone },
        week_start: { from: project.settings.weekStart, to: settings.weekStart },
        bots: { from: project.settings.bots, to: settings.bots },
        personal_properties: {
          from: project.settings.personalProperties.join(', '),
          to: settings.personalProperties.join(', '),
        },
        events_per_month: { from: project.settings.eventsPerMonth, to: settings.eventsPerMonth },
      };
      await audit.appendChanges({ orgId: project.orgId, action: 'project.update', target: id, changes: told }, by);
      return this.get(id);
    });
  }

  /** Switches ingest, queries or both off at once. Replaces what the same suspender has switched off. */
  async suspend(id: string, { by: suspender, what, reason }: Suspension, by: Actor): Promise<Project> {
    const { connection, audit } = this.#parts;
    const told = checkName(reason, 'reason');
    return connection.write(async () => {
      const { orgId, suspensions } = await this.get(id);
      const held = { what, reason: told };
      const changes = suspensionChanges(ofSuspender(suspensions, suspender), held);
      const insert = connection.db.insertInto('suspensions').values({ project_id: id, suspender, ...held });
      await insert.onConflict((known) => known.columns(['project_id', 'suspender']).doUpdateSet(held)).execute();
      await audit.appendChanges({ orgId, action: 'project.suspend', target: id, changes }, by);
      return this.get(id);
    });
  }

  /** Lifts the suspender's suspension and leaves the other's. */
  async resume(id: string, suspender: Suspender, by: Actor): Promise<Project> {
    const { connection, audit } = this.#parts;
    return connection.write(async () => {
      const { orgId, suspensions } = await this.get(id);
      const changes = suspensionChanges(ofSuspender(suspensions, suspender), null);
      const held = connection.db.deleteFrom('suspensions').where('project_id', '=', id);
      await held.where('suspender', '=', suspender).execute();
      await audit.appendChanges({ orgId, action: 'project.resume', target: id, changes }, by);
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
    const retention = (begun: 0 | 1) =>
      db
        .selectFrom('retention_changes')
        .select(['project_id', 'retention_days as days', 'begins_at as at', 'events'])
        .where('begun', '=', sql.lit(begun));
    const settings = [
      ...(['projects.retention_days as retentionDays', 'ip_policy as ipPolicy', 'timezone'] as const),
      ...(['week_start as weekStart', 'personal_properties as personalProperties'] as const),
      ...(['bots', 'projects.max_events_per_month as eventsPerMonth'] as const),
    ] as const;
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
      .leftJoin(retention(0).as('next'), 'next.project_id', 'projects.id')
      .leftJoin(retention(1).as('last'), 'last.project_id', 'projects.id')
      .select(['projects.id', 'projects.org_id as orgId', 'organizations.weight', 'projects.name'])
      .select(['organizations.suspended as orgHeld', 'organizations.suspended_because as orgHeldBecause'])
      .select(['next.days as nextDays', 'next.at as nextAt', 'next.events as nextEvents'])
      .select(['last.days as lastDays', 'last.at as lastAt', 'last.events as lastEvents'])
      .select(['keys.plain as publicKey', 'projects.created_at as createdAt', ...settings])
      .select(['held.what as held', 'held.reason as heldBecause', 'paused.what as paused'])
      .select('paused.reason as pausedBecause');
  }
}

function projectOf(row: ProjectRow): Project {
  const {
    id,
    orgId,
    weight,
    name,
    publicKey,
    createdAt,
    retentionDays,
    ipPolicy,
    timezone,
    weekStart,
    bots,
    eventsPerMonth,
  } = row;
  const whole = suspension('operator', row.orgHeld, row.orgHeldBecause);
  return {
    ...{ id, orgId, weight, name, publicKey: publicKey ?? '', createdAt },
    settings: {
      ...{ retentionDays, ipPolicy, timezone, weekStart, bots, eventsPerMonth },
      personalProperties: personalOf(row.personalProperties),
    },
    suspensions: [
      ...whole.map((held) => ({ ...held, of: 'organization' as const })),
      ...suspension('operator', row.held, row.heldBecause),
      ...suspension('organization', row.paused, row.pausedBecause),
    ],
    retention: {
      next: retentionChange(row.nextDays, row.nextAt, row.nextEvents),
      last: retentionChange(row.lastDays, row.lastAt, row.lastEvents),
    },
  };
}

function retentionChange(days: number | null, beginsAt: number | null, events: number | null): RetentionChange | null {
  return days === null || beginsAt === null ? null : { retentionDays: days, beginsAt, events: events ?? 0 };
}

/** What a suspender has switched off of the project itself. */
function ofSuspender(suspensions: readonly Suspension[], suspender: Suspender): Suspension | null {
  return suspensions.find(({ by, of }) => by === suspender && of === undefined) ?? null;
}

function suspension(by: Suspender, what: Suspension['what'] | null, reason: string | null): readonly Suspension[] {
  return what === null ? [] : [{ by, what, reason: reason ?? '' }];
}

/** Projects read at once. */
export const PAGE = 100;
