import type { Alert } from '../../alerts/alert.ts';
import { nextTime } from '../../alerts/schedule.ts';
import { AppError } from '../../base/errors.ts';
import { giveWay } from '../../base/give-way.ts';
import { monotonic } from '../../base/monotonic.ts';
import { readJson } from '../../base/text/read-json.ts';
import type { Audit } from '../audit.ts';
import { type ControlConnection, countOf } from '../storage/connection.ts';
import type { ALERT_STATES } from '../storage/tables.ts';
import type { Actor, Project } from '../types.ts';
import { AlertRuns } from './alert-runs.ts';
import { MAX_VERSIONS } from './dashboards.ts';
import type { Projects } from './projects.ts';

/** Alerts and reports of a project. */
export const MAX_ALERTS = 200;

export interface StoredAlert {
  readonly id: string;
  readonly alert: Alert;
  /** As it was written. */
  readonly yaml: string;
  /** The newest. When and by whom it was written. */
  readonly version: number;
  readonly at: number;
  readonly by: string;
  readonly state: (typeof ALERT_STATES)[number];
  /** When that began. */
  readonly since: number;
  /** When it asks next; null: never, or it is paused. */
  readonly nextAt: number | null;
}

interface Parts {
  readonly connection: ControlConnection;
  readonly projects: Projects;
  readonly audit: Audit;
}

type Owner = Pick<Project, 'id' | 'orgId' | 'settings'>;

/** Stored alerts and reports. A written version never changes; the newest is what asks. */
export class Alerts {
  readonly runs: AlertRuns;
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.runs = new AlertRuns(parts.connection);
  }

  /** Whether any project has one. */
  async exist(): Promise<boolean> {
    const any = this.#parts.connection.db.selectFrom('alerts').select('id').limit(1);
    return (await any.executeTakeFirst()) !== undefined;
  }

  /** By title. */
  async list(projectId: string): Promise<StoredAlert[]> {
    const rows = await this.#versions(projectId).orderBy('title').orderBy('alerts.id').execute();
    return rows.map(stored);
  }

  /** The newest version, or the given one. null: there is none. */
  async find(projectId: string, id: string, version: number | null = null): Promise<StoredAlert | null> {
    const row = await this.#versions(projectId, version).where('alerts.id', '=', id).executeTakeFirst();
    return row === undefined ? null : stored(row);
  }

  /** Adds a version, unless the newest has the same text. It keeps its state. Throws AppError `limit_reached` for one alert too many. */
  async write(
    project: Owner,
    { alert, yaml }: Pick<StoredAlert, 'alert' | 'yaml'>,
    by: Actor,
  ): Promise<{ readonly stored: StoredAlert; readonly outcome: 'created' | 'changed' | 'unchanged' }> {
    const { connection } = this.#parts;
    const { id, title } = alert;
    return connection.write(async () => {
      const before = await this.find(project.id, id);
      if (before?.yaml === yaml) return { stored: before, outcome: 'unchanged' };
      const { db, now } = connection;
      const version = (before?.version ?? 0) + 1;
      const own = { project_id: project.id, id };
      const next = { title, version, next_at: nextAt(alert, project, now()) };
      if (before === null) await this.#create(project, { ...own, ...next, state: 'ok', since: now() });
      else await db.updateTable('alerts').set(next).where('project_id', '=', project.id).where('id', '=', id).execute();
      const written = { yaml, checked: JSON.stringify(alert), at: now(), by: by.name };
      await db.insertInto('alert_versions').values({ ...own, version, ...written }).execute(); // prettier-ignore
      const old = db.deleteFrom('alert_versions').where('project_id', '=', project.id).where('id', '=', id);
      await old.where('version', '<=', version - MAX_VERSIONS).execute();
      await this.#audit(project, id, `version:${version}`, by);
      return { stored: (await this.find(project.id, id))!, outcome: before === null ? 'created' : 'changed' };
    });
  }

  /** With all its versions and runs. Returns whether there was one. */
  async delete(project: Owner, id: string, by: Actor): Promise<boolean> {
    const { connection } = this.#parts;
    return connection.write(async () => {
      const own = connection.db.deleteFrom('alerts').where('project_id', '=', project.id).where('id', '=', id);
      if ((await own.executeTakeFirst()).numDeletedRows === 0n) return false;
      await this.#audit(project, id, 'deleted', by);
      return true;
    });
  }

  /** Lets it ask as soon as there is a turn, also if it is paused. Returns whether there is one. */
  async askNow(projectId: string, id: string): Promise<boolean> {
    const { connection } = this.#parts;
    return connection.write(async () => {
      const set = connection.db.updateTable('alerts').set({ next_at: connection.now() });
      const { numUpdatedRows } = await set.where('project_id', '=', projectId).where('id', '=', id).executeTakeFirst();
      return numUpdatedRows === 1n;
    });
  }

  /**
   * After a clock was set back: what waits for a time that is farther away than its schedule says asks at that one, and what is to be
   * told in a time that has become the future is told now. What somebody has taken for `lease` milliseconds stays theirs.
   */
  async reschedule(lease: number): Promise<void> {
    const { connection } = this.#parts;
    const { db, now } = connection;
    const time = now();
    const sleeping = db
      .selectFrom('alerts')
      .where('next_at', '>', time + lease)
      .select('project_id');
    const projects = await db.selectFrom('projects').where('id', 'in', sleeping).select(['id', 'timezone']).execute();
    for (const { id: projectId, timezone } of projects) {
      const began = monotonic();
      for (const { id, alert, nextAt: wakes } of await this.list(projectId)) {
        const next = nextAt(alert, { settings: { timezone } }, time);
        if (next === null || wakes === null || wakes <= time + lease || next >= wakes) continue;
        await connection.write(async () => {
          const one = connection.db.updateTable('alerts').set({ next_at: next }).where('project_id', '=', projectId);
          await one.where('id', '=', id).where('next_at', '=', wakes).execute();
        });
      }
      await giveWay(began);
    }
    await this.runs.reschedule(lease);
  }

  async #create({ id }: Owner, row: { project_id: string; id: string; title: string; version: number; next_at: number | null; state: 'ok'; since: number }): Promise<void> {
    const { connection, projects } = this.#parts;
    await projects.get(id);
    const count = await countOf(connection.db.selectFrom('alerts').where('project_id', '=', id));
    if (count >= MAX_ALERTS) {
      throw new AppError('limit_reached', `a project may have ${MAX_ALERTS} alerts and reports`, {
        hints: ['delete some that nobody needs'],
      });
    }
    await connection.db.insertInto('alerts').values(row).execute();
  } // prettier-ignore

  #versions(projectId: string, version: number | null = null) {
    const joined = this.#parts.connection.db
      .selectFrom('alerts')
      .innerJoin('alert_versions', (join) =>
        join
          .onRef('alert_versions.project_id', '=', 'alerts.project_id')
          .onRef('alert_versions.id', '=', 'alerts.id'),
      )
      .select(['alerts.id', 'yaml', 'checked', 'alert_versions.version', 'at', 'by', 'state', 'since', 'next_at as nextAt'])
      .where('alerts.project_id', '=', projectId);
    if (version === null) return joined.whereRef('alert_versions.version', '=', 'alerts.version');
    return joined.where('alert_versions.version', '=', version);
  } // prettier-ignore

  async #audit({ id: projectId, orgId }: Owner, id: string, what: string, by: Actor): Promise<void> {
    await this.#parts.audit.append(orgId, 'alert.write', `${projectId}/alert:${id}/${what}`, by);
  }
}

/** When it asks after a time; null: never. */
export function nextAt(alert: Alert, { settings }: { readonly settings: Pick<Project['settings'], 'timezone'> }, after: number): number | null {
  return alert.paused ? null : nextTime(alert.schedule, alert.timezone ?? settings.timezone, after);
} // prettier-ignore

/** Of its JSON, as `write` has written it or an import has checked it. */
export function alertFrom(json: string): Alert {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
  return readJson(json) as Alert;
}

type Row = Omit<StoredAlert, 'alert'> & { readonly checked: string };

const stored = ({ checked, ...row }: Row): StoredAlert => ({ ...row, alert: alertFrom(checked) });
