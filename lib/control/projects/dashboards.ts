import { sql } from 'kysely';
import { AppError } from '../../base/errors.ts';
import { isoTime } from '../../base/day.ts';
import { giveWay } from '../../base/give-way.ts';
import { isRecord } from '../../base/is-record.ts';
import { monotonic } from '../../base/monotonic.ts';
import { readJson } from '../../base/text/read-json.ts';
import type { Audit } from '../audit.ts';
import { type ControlConnection, countOf } from '../storage/connection.ts';
import type { Projects } from './projects.ts';
import type { Actor } from '../types.ts';

/** Dashboards of a project, including those of its members. */
export const MAX_DASHBOARDS = 500;
/** Versions kept of a dashboard; the oldest are deleted. */
export const MAX_VERSIONS = 50;
/** Bytes of all versions of a project's dashboards: YAML, and what it says. Beyond it the oldest versions are deleted. */
const MAX_BYTES = 64 << 20;

export interface StoredDashboard {
  readonly id: string;
  /** Title and order are those of the newest version. */
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
  /** The number of the newest version. */
  readonly newest: number;
}

/** Names a dashboard of a project: `owner` null is the project's. */
interface DashboardName extends Pick<StoredDashboard, 'id' | 'owner'> {
  readonly projectId: string;
}

type NewVersion = DashboardName &
  Pick<DashboardText, 'title' | 'order' | 'yaml' | 'checked'> & {
    /** The version that it was made from, 0: none; null: whatever is the newest. */
    readonly replaces?: number | null;
  };

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
  list(projectId: string, accountId: string | null): Promise<StoredDashboard[]> {
    const seen = this.#versions()
      .where('project_id', '=', projectId)
      .where((one) => one.or([one('owner', 'is', null), one('owner', '=', accountId)]))
      .whereRef('dashboard_versions.version', '=', 'dashboards.version');
    const placed = seen.orderBy('place', (place) => place.asc().nullsLast());
    return placed
      .orderBy('title')
      .orderBy('id')
      .orderBy('owner', (owner) => owner.asc().nullsFirst())
      .execute();
  }

  /** The newest version, or the given one. null: there is none. */
  async find(name: DashboardName, version: number | null = null): Promise<DashboardText | null> {
    const row = await this.#row(name);
    return row === undefined ? null : ((await this.#text(row.key, version ?? row.version)) ?? null);
  }

  /** Whether a version of a dashboard of the project, of its members' too, says one of the texts. Looks at one after the other. */
  async contain(projectId: string, texts: readonly string[]): Promise<boolean> {
    const wanted = texts.map((text) => JSON.stringify(text).slice(1, -1)); // as in the JSON of a dashboard
    const shortest = Math.min(...wanted.map((text) => Buffer.byteLength(text)));
    const own = this.#versions().where('project_id', '=', projectId);
    const longEnough = own.where(sql<boolean>`octet_length(checked) >= ${shortest}`);
    for (const { key, version } of await longEnough
      .clearSelect()
      .select(['key', 'dashboard_versions.version'])
      .execute()) {
      const began = monotonic();
      const { checked = '' } = (await this.#text(key, version)) ?? {};
      if (wanted.some((text) => checked.includes(text))) return true;
      await giveWay(began);
    }
    return false;
  }

  /** The dashboards of the project, those of its members too, whose newest version uses a cohort, as a message names them. */
  async namingCohort(projectId: string, cohort: string): Promise<readonly string[]> {
    const newest = this.#versions().where('project_id', '=', projectId).whereRef('dashboard_versions.version', '=', 'dashboards.version'); // prettier-ignore
    const some = newest
      .where(sql<boolean>`checked LIKE ${`%"cohorts":[%`}`)
      .select('key')
      .orderBy('key');
    const found: string[] = [];
    for (const { key, version, id, owner } of await some.execute()) {
      const checked = readJson((await this.#text(key, version))?.checked ?? '{}');
      const named = isRecord(checked) && Array.isArray(checked['cohorts']) && checked['cohorts'].includes(cohort);
      if (named) found.push(`${owner === null ? '' : 'personal '}dashboard "${id}"`);
    }
    return found;
  }

  /** Of a dashboard, newest first. */
  versions(name: DashboardName): Promise<Pick<StoredDashboard, 'version' | 'at' | 'by'>[]> {
    const { projectId, id, owner } = name;
    const named = this.#versions().where('project_id', '=', projectId).where('id', '=', id);
    const own = named.where('owner', owner === null ? 'is' : '=', owner).clearSelect();
    return own
      .select(['dashboard_versions.version', 'at', 'by'])
      .orderBy('dashboard_versions.version', 'desc')
      .execute();
  }

  /**
   * Adds a version, unless the newest has the same text. Throws AppError `conflict` if that is not the one to replace, `limit_reached`
   * if the project has too many.
   */
  async write(
    wanted: NewVersion,
    by: Actor,
  ): Promise<{ readonly stored: DashboardText; readonly outcome: 'created' | 'changed' | 'unchanged' }> {
    const { connection } = this.#parts;
    return connection.write(async () => {
      const before = await this.find(wanted);
      if (before?.yaml === wanted.yaml && before.checked === wanted.checked)
        return { stored: before, outcome: 'unchanged' };
      checkReplaced(wanted, before);
      if (before === null) await this.#create(wanted);
      const { key, version } = (await this.#row(wanted))!;
      const { title, order, yaml, checked } = wanted;
      const { db, now } = connection;
      const next = version + 1;
      const written = { dashboard: key, version: next, yaml, checked, at: now(), by: by.name };
      await db.insertInto('dashboard_versions').values(written).execute();
      const update = db.updateTable('dashboards').set({ title, place: order, version: next });
      await update.where('key', '=', key).execute();
      const old = db.deleteFrom('dashboard_versions').where('dashboard', '=', key);
      await old.where('version', '<=', next - MAX_VERSIONS).execute();
      await this.#makeRoom(wanted.projectId);
      await this.#audit(wanted, `version:${next}`, by);
      return { stored: (await this.#text(key, next))!, outcome: before === null ? 'created' : 'changed' };
    });
  }

  /** With all its versions. Returns whether there was one. */
  async delete(name: DashboardName, by: Actor): Promise<boolean> {
    const { connection } = this.#parts;
    return connection.write(async () => {
      const row = await this.#row(name);
      if (row === undefined) return false;
      await connection.db.deleteFrom('dashboards').where('key', '=', row.key).execute();
      await this.#audit(name, 'deleted', by);
      return true;
    });
  }

  async #create({ projectId, id, owner }: NewVersion): Promise<void> {
    const { connection, projects } = this.#parts;
    await projects.get(projectId);
    const count = await countOf(connection.db.selectFrom('dashboards').where('project_id', '=', projectId));
    if (count >= MAX_DASHBOARDS) {
      throw new AppError('limit_reached', `a project may have ${MAX_DASHBOARDS} dashboards`, {
        hints: ['delete dashboards that nobody uses'],
      });
    }
    const row = { project_id: projectId, owner, id, title: '', version: 0 };
    await connection.db.insertInto('dashboards').values(row).execute();
  }

  /** Deletes the oldest versions that are not the newest of theirs. Throws AppError `limit_reached` if that is not enough. */
  async #makeRoom(projectId: string): Promise<void> {
    const { db } = this.#parts.connection;
    const bytes = sql<number>`octet_length(yaml) + octet_length(checked)`;
    const all = db.selectFrom('dashboard_versions').innerJoin('dashboards', 'key', 'dashboard');
    const own = all.where('project_id', '=', projectId);
    const { sum } = await own.select(({ fn }) => fn.sum<number>(bytes).as('sum')).executeTakeFirstOrThrow();
    let over = sum - MAX_BYTES;
    if (over <= 0) return;
    const older = own
      .whereRef('dashboard_versions.version', '<', 'dashboards.version')
      .orderBy('at')
      .orderBy('dashboard');
    const shown = older.select(['dashboard', 'dashboard_versions.version', bytes.as('bytes')]);
    for (const { dashboard, version, bytes: freed } of await shown.orderBy('dashboard_versions.version').execute()) {
      if (over <= 0) return;
      const one = db.deleteFrom('dashboard_versions').where('dashboard', '=', dashboard);
      await one.where('version', '=', version).execute();
      over -= freed;
    }
    if (over > 0) throw tooLarge();
  }

  #row({ projectId, id, owner }: DashboardName) {
    const select = this.#parts.connection.db.selectFrom('dashboards').select(['key', 'version']);
    const named = select.where('project_id', '=', projectId).where('id', '=', id);
    return named.where('owner', owner === null ? 'is' : '=', owner).executeTakeFirst();
  }

  #text(key: number, version: number): Promise<DashboardText | undefined> {
    const found = this.#versions().where('key', '=', key).where('dashboard_versions.version', '=', version);
    return found.select(['yaml', 'checked', 'dashboards.version as newest']).executeTakeFirst();
  }

  #versions() {
    const all = this.#parts.connection.db.selectFrom('dashboards');
    const own = ['id', 'title', 'place as order', 'owner'] as const;
    return all
      .innerJoin('dashboard_versions', 'dashboard', 'key')
      .select([...own, 'dashboard_versions.version', 'at', 'by']);
  }

  async #audit({ projectId, id, owner }: DashboardName, what: string, by: Actor): Promise<void> {
    const { projects, audit } = this.#parts;
    const whose = owner === null ? '' : 'personal-';
    await audit.append(
      (await projects.get(projectId)).orgId,
      'dashboard.write',
      `${projectId}/${whose}dashboard:${id}/${what}`,
      by,
    );
  }
}

/** Throws AppError `conflict` that says whose version would be overwritten, and what to do. */
function checkReplaced({ id, replaces = null }: NewVersion, newest: StoredDashboard | null): void {
  if (replaces === null || replaces === (newest?.version ?? 0)) return;
  if (newest === null)
    throw new AppError('conflict', `The dashboard "${id}" was deleted meanwhile.`, { hints: ['Save it as a new one: replaces=0.'] });
  const { version, by, at } = newest;
  const stored = `version ${version}, by ${by} at ${isoTime(at)}`;
  throw replaces === 0
    ? new AppError('conflict', `There is a dashboard "${id}" already: ${stored}.`, { hints: ['Choose another `id`, or edit that one.'] })
    : new AppError('conflict', `Somebody else has saved the dashboard "${id}" meanwhile: ${stored}. You have edited version ${replaces}.`, {
        hints: [`Look at what that version changed, then save again with replaces=${version}.`],
      });
} // prettier-ignore

function tooLarge(): AppError {
  return new AppError(
    'limit_reached',
    `the dashboards of a project may have ${MAX_BYTES.toLocaleString('en')} bytes, with what their anchors copy`,
    { hints: ['delete dashboards that nobody uses, or write smaller ones'] },
  );
}
