/** The control database's part of a project, as plain data that goes to another host, and back. */
import { AppError } from '../../base/errors.ts';
import type { Audit } from '../audit.ts';
import { alertFrom, nextAt } from '../projects/alerts.ts';
import type { ControlConnection } from '../storage/connection.ts';
import type { ControlTables } from '../storage/tables.ts';
import { hashKey, newId } from '../key-text.ts';
import type { Keys } from '../keys.ts';
import type { Projects } from '../projects/projects.ts';
import type { Actor, Project, ProjectSettings } from '../types.ts';

interface PackedDashboard extends Readonly<Pick<ControlTables['dashboards'], 'id' | 'title' | 'version'>> {
  readonly place: number | null;
  readonly versions: readonly Readonly<Omit<ControlTables['dashboard_versions'], 'dashboard'>>[];
}

type PackedVersion = Readonly<Omit<ControlTables['cohort_versions'], 'project_id' | 'name'>>;

interface PackedCohort extends Readonly<Pick<ControlTables['cohorts'], 'name' | 'version'>> {
  readonly versions: readonly PackedVersion[];
}

interface PackedAlert extends Readonly<Pick<ControlTables['alerts'], 'id' | 'title' | 'version'>> {
  readonly versions: readonly Readonly<Omit<ControlTables['alert_versions'], 'project_id' | 'id'>>[];
}

type PackedQuestionVersion = Readonly<Omit<ControlTables['question_versions'], 'project_id' | 'name'>>;

interface PackedQuestion extends Readonly<Pick<ControlTables['questions'], 'name' | 'version'>> {
  readonly versions: readonly PackedQuestionVersion[];
}
/** Who added it stays, as with versions. Its id is new where it comes to. */
type PackedAnnotation = Readonly<Omit<ControlTables['annotations'], 'id' | 'project_id'>>;

type TokenColumn = 'id' | 'name' | 'prefix' | 'scopes' | 'expires_at' | 'created_at' | 'created_by';

interface PackedToken extends Readonly<Pick<ControlTables['tokens'], TokenColumn>> {
  /** 0 or 1; missing in exports of earlier releases: 1. */
  readonly personal?: number;
  /** SHA-256 of the token in hex. */
  readonly hash: string;
}

/** Dashboards are the project's: members' own stay behind, and tokens are of no account where they come to. */
export interface Parcel {
  readonly id: string;
  readonly name: string;
  /** Those of earlier releases lack what came later. */
  readonly settings: Partial<ProjectSettings>;
  readonly dashboards: readonly PackedDashboard[];
  /** That hashes ids for tokens that see no personal data; null or missing: there was none. */
  readonly hash_key?: string | null;
  /** Exports of earlier releases have none. */
  readonly cohorts?: readonly PackedCohort[];
  readonly alerts?: readonly PackedAlert[];
  /** The same. */
  readonly questions?: readonly PackedQuestion[];
  readonly annotations?: readonly PackedAnnotation[];
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
  async pack(projectId: string, withKeys: boolean): Promise<Parcel> {
    const { projects } = this.#parts;
    const { id, name, settings } = await projects.get(projectId);
    const drawn = { dashboards: await this.#dashboards(id), annotations: await this.#annotations(id) };
    const asked = { cohorts: await this.#cohorts(id), questions: await this.#questions(id) };
    const written = { ...drawn, ...asked, alerts: await this.#alerts(id) };
    const hash_key = await this.#parts.keys.findHashKey(id);
    return { id, name, settings, ...written, hash_key, keys: withKeys ? await this.#keys(id) : null };
  }

  /** Records the export of a project in the audit trail. */
  async exported(projectId: string, by: Actor): Promise<void> {
    const { connection, projects, audit } = this.#parts;
    await connection.write(async () =>
      audit.append((await projects.get(projectId)).orgId, 'project.export', projectId, by),
    );
  }

  /** A new project, completely or not at all. Throws AppError `conflict` if a key is in use. */
  async unpack(
    parcel: Parcel,
    { orgId, name, keepKeys, place }: Unpacking,
    by: Actor,
  ): Promise<{ project: Project; secretKey: string }> {
    const { connection, projects, keys, audit } = this.#parts;
    return connection.write(async () => {
      const { project, secretKey } = await projects.create(orgId, name, by, {
        exempt: true,
        settings: { bots: 'keep', ...parcel.settings }, // a release that could not leave them out kept them
      });
      const { id } = project;
      for (const dashboard of parcel.dashboards) await this.#addDashboard(id, dashboard);
      if (parcel.hash_key) await keys.takeHashKey(id, parcel.hash_key);
      for (const cohort of parcel.cohorts ?? []) await this.#addCohort(id, cohort);
      for (const alert of parcel.alerts ?? []) await this.#addAlert(project, alert);
      for (const question of parcel.questions ?? []) await this.#addQuestion(id, question);
      for (const annotation of parcel.annotations ?? []) await this.#addAnnotation(id, annotation);
      if (keepKeys) await this.#takeKeys(id, parcel);
      await audit.append(orgId, 'project.import', `${id}/from:${parcel.id}`, by);
      place(id);
      return { project: await projects.get(id), secretKey: keepKeys ? await keys.secretKey(id) : secretKey };
    });
  }

  async #dashboards(projectId: string): Promise<PackedDashboard[]> {
    const { connection } = this.#parts;
    const { db } = connection;
    const all = db.selectFrom('dashboards').select(['key', 'id', 'title', 'place', 'version']);
    const own = all.where('project_id', '=', projectId).where('owner', 'is', null).orderBy('key');
    const versions = db.selectFrom('dashboard_versions').select(['version', 'yaml', 'checked', 'at', 'by']);
    const dashboards: PackedDashboard[] = [];
    for (const { key, ...dashboard } of await own.execute()) {
      const written = await versions.where('dashboard', '=', key).orderBy('version').execute();
      dashboards.push({ ...dashboard, versions: written });
    }
    return dashboards;
  }

  async #addDashboard(projectId: string, { id, title, place, version, versions }: PackedDashboard): Promise<void> {
    const { connection } = this.#parts;
    const { db } = connection;
    const row = { project_id: projectId, owner: null, id, title, place, version };
    const { key: dashboard } = await db.insertInto('dashboards').values(row).returning('key').executeTakeFirstOrThrow();
    for (const { version: number, yaml, checked, at, by } of versions) {
      const written = { dashboard, version: number, yaml, checked, at, by };
      await db.insertInto('dashboard_versions').values(written).execute();
    }
  }

  async #cohorts(projectId: string): Promise<PackedCohort[]> {
    const { db } = this.#parts.connection;
    const own = db.selectFrom('cohorts').select(['name', 'version']).where('project_id', '=', projectId);
    const versions = db.selectFrom('cohort_versions').where('project_id', '=', projectId);
    const columns = ['version', 'condition', 'description', 'uses', 'at', 'by'] as const;
    const cohorts: PackedCohort[] = [];
    for (const { name, version } of await own.orderBy('name').execute()) {
      const written = versions.where('name', '=', name).orderBy('version').select(columns);
      cohorts.push({ name, version, versions: await written.execute() });
    }
    return cohorts;
  }

  async #addCohort(projectId: string, { name, version, versions }: PackedCohort): Promise<void> {
    const { db } = this.#parts.connection;
    const own = { project_id: projectId, name };
    await db
      .insertInto('cohorts')
      .values({ ...own, version })
      .execute();
    for (const { version: number, condition, description, uses, at, by } of versions) {
      const written = { ...own, version: number, condition, description, uses, at, by };
      await db.insertInto('cohort_versions').values(written).execute();
    }
  }

  async #alerts(projectId: string): Promise<PackedAlert[]> {
    const { db } = this.#parts.connection;
    const own = db.selectFrom('alerts').select(['id', 'title', 'version']).where('project_id', '=', projectId);
    const versions = db.selectFrom('alert_versions').where('project_id', '=', projectId);
    const alerts: PackedAlert[] = [];
    for (const alert of await own.orderBy('id').execute()) {
      const written = versions.where('id', '=', alert.id).orderBy('version');
      alerts.push({ ...alert, versions: await written.select(['version', 'yaml', 'checked', 'at', 'by']).execute() });
    }
    return alerts;
  }

  /** It has seen nothing here, and asks when its time comes. */
  async #addAlert({ id: projectId, settings }: Project, { id, title, version, versions }: PackedAlert): Promise<void> {
    const { db, now } = this.#parts.connection;
    const checked = versions.at(-1)?.checked ?? '{}';
    const next_at = nextAt(alertFrom(checked), { settings }, now());
    const own = { project_id: projectId, id };
    const row = { ...own, title, version, state: 'ok', since: now(), next_at } as const;
    await db.insertInto('alerts').values(row).execute();
    for (const { version: number, yaml, checked: alert, at, by } of versions) {
      const written = { ...own, version: number, yaml, checked: alert, at, by };
      await db.insertInto('alert_versions').values(written).execute();
    }
  }

  async #questions(projectId: string): Promise<PackedQuestion[]> {
    const { db } = this.#parts.connection;
    const own = db.selectFrom('questions').select(['name', 'version']).where('project_id', '=', projectId);
    const versions = db.selectFrom('question_versions').where('project_id', '=', projectId).orderBy('version');
    const questions: PackedQuestion[] = [];
    for (const { name, version } of await own.orderBy('name').execute()) {
      const written = versions.where('name', '=', name).select(['version', 'query', 'at', 'by']);
      questions.push({ name, version, versions: await written.execute() });
    }
    return questions;
  }

  async #addQuestion(projectId: string, { name, version, versions }: PackedQuestion): Promise<void> {
    const { db } = this.#parts.connection;
    const own = { project_id: projectId, name };
    const row = { ...own, version };
    await db.insertInto('questions').values(row).execute();
    for (const { version: number, query, at, by } of versions) {
      const written = { ...own, version: number, query, at, by };
      await db.insertInto('question_versions').values(written).execute();
    }
  }

  #annotations(projectId: string): Promise<PackedAnnotation[]> {
    const own = this.#parts.connection.db.selectFrom('annotations').where('project_id', '=', projectId);
    return own.select(['at', 'text', 'created_at', 'created_by']).orderBy('at').orderBy('id').execute();
  }

  async #addAnnotation(projectId: string, { at, text, created_at, created_by }: PackedAnnotation): Promise<void> {
    const row = { id: newId('ann_'), project_id: projectId, at, text, created_at, created_by };
    await this.#parts.connection.db.insertInto('annotations').values(row).execute();
  }

  async #keys(projectId: string): Promise<NonNullable<Parcel['keys']>> {
    const { connection, keys, projects } = this.#parts;
    const select = connection.db.selectFrom('tokens').select(['id', 'hash', 'name', 'prefix', 'scopes']);
    const own = select.where('project_id', '=', projectId).orderBy('created_at').orderBy('rowid');
    const rows = await own.select(['expires_at', 'created_at', 'created_by', 'personal']).execute();
    const tokens = rows.map(({ hash, ...token }) => ({ ...token, hash: hash.toString('hex') }));
    const { publicKey } = await projects.get(projectId);
    return { public_key: publicKey, secret_key: await keys.secretKey(projectId), tokens };
  }

  async #takeKeys(projectId: string, { keys: kept }: Parcel): Promise<void> {
    const { connection, keys } = this.#parts;
    if (kept === null) {
      throw new AppError('bad_request', 'the file has no keys: it was exported without --keep-keys', {
        hints: ['import it without --keep-keys: the project gets new ones'],
      });
    }
    for (const key of [kept.public_key, kept.secret_key])
      if ((await keys.find(hashKey(key))) !== undefined) throw inUse();
    await keys.take(projectId, kept);
    const { db } = connection;
    for (const { hash, ...token } of kept.tokens) {
      const bytes = Buffer.from(hash, 'hex');
      const taken = db.selectFrom('tokens').select('id');
      const same = taken.where((known) => known.or([known('id', '=', token.id), known('hash', '=', bytes)]));
      if ((await same.executeTakeFirst()) !== undefined) throw inUse();
      const { id, name, prefix, scopes, personal = 1, expires_at, created_at, created_by } = token;
      if (personal === 0) await keys.needHashKey(projectId);
      const times = { expires_at, created_at, created_by };
      const row = { id, project_id: projectId, hash: bytes, name, prefix, scopes, personal, ...times };
      await db.insertInto('tokens').values(row).execute();
    }
  }
}

function inUse(): AppError {
  return new AppError('conflict', 'a key of the file is in use on this host', {
    hints: ['the project it came from is still here: import without --keep-keys, or delete that one first'],
  });
}
