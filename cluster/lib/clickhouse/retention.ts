/** Drops events older than projects keep them: once after the start, and every hour, by one node for all projects. */
import { randomUUID } from 'node:crypto';
import { DAY_MS, monotonic, type ProjectRef } from '../../../lib/seam.ts';
import { isInTime, type ClickHouse } from './client.ts';
import { endStatement } from './ingest/table-inserts.ts';
import { InsertFailed, reasonOf, type ProjectLock } from './ingest/project-lock.ts';
import { NodeWork, type NodeOptions } from './node-work.ts';
import { EVENTS, IDENTITIES, localTable } from './schema.ts';
import { ServerClock } from './server-clock.ts';
import { isOver } from './server-error.ts';

/** Projects looked at, and dropped from, with one statement. */
const AT_ONCE = 500;
/** Reads the users and times of what is dropped of a project. Milliseconds. */
const READING = 600_000;

type Kept = Pick<ProjectRef, 'id' | 'retentionDays'>;

export interface RetentionOptions extends NodeOptions {
  readonly clickHouse: ClickHouse;
  readonly lock: ProjectLock;
  /** All, with their current settings. */
  readonly projects: () => Promise<Iterable<Kept>>;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
}

/** A project, and the time before which nothing is kept of it. */
interface Due {
  readonly id: string;
  readonly since: number;
}

export class Retention extends NodeWork {
  readonly #options: RetentionOptions;

  constructor(options: RetentionOptions) {
    super({ ...options, what: 'retention', every: 3_600_000, failed: 'events that are too old could not be dropped' });
    this.#options = options;
  }

  protected override async act(isClosed: () => boolean): Promise<void> {
    const now = await this.#now();
    const all = [...(await this.#options.projects())].flatMap(({ id, retentionDays }) =>
      retentionDays === null ? [] : [{ id, since: keptSince(retentionDays, now) }],
    );
    for (let from = 0; from < all.length && !isClosed(); from += AT_ONCE) {
      const due = await this.#due(all.slice(from, from + AT_ONCE));
      for (const project of due) await this.#rememberTimes(project);
      if (due.length > 0) await this.#drop(due);
    }
  }

  /** By the clock that is behind: one that is ahead would drop what is to be kept. */
  async #now(): Promise<number> {
    const clock = new ServerClock(this.#options.clickHouse);
    await clock.sync();
    return Math.min(this.#options.now?.() ?? Date.now(), clock.at(monotonic()));
  }

  async #due(projects: readonly Due[]): Promise<readonly Due[]> {
    const { rows } = await this.#options.clickHouse.query({
      sql: `SELECT project, min(time) FROM ${EVENTS.name} WHERE project IN {projects:Array(String)} GROUP BY project`,
      params: { projects: projects.map(({ id }) => id) },
    });
    const first = new Map(rows.map(([project, time]) => [String(project), Number(time)]));
    return projects.filter(({ id, since }) => (first.get(id) ?? Infinity) < since);
  }

  /** Users are known, and since when, although their events are dropped. Can be repeated. */
  async #rememberTimes({ id: project, since }: Due): Promise<void> {
    const { clickHouse, lock, run } = this.#options;
    const columns = IDENTITIES.columns.map(([name]) => name).join(', ');
    const known = `SELECT user_id, argMax(profile, arrival) AS profile, argMax(dates, arrival) AS dates, min(first_seen) AS first, max(last_seen) AS last
      FROM ${IDENTITIES.name} WHERE project = {project:String} AND device_id = '' GROUP BY user_id`;
    const dropped = (
      inTurn: string,
    ): string => `SELECT user_id, min(time) AS first, max(time) AS last FROM ${EVENTS.name}
      WHERE project = {project:String} AND user_id != '' AND time < {since:Int64} AND ${inTurn} GROUP BY user_id`;
    // Changes of a profile read it first, so none may be on its way; nor may it come after the turn, when a user may be erased.
    const remembered = lock.hold(project, 1, async (arrival, deadline) => {
      const sql = `INSERT INTO ${IDENTITIES.name} (${columns})
        SELECT {project:String}, {arrival:UInt64}, 0, d.user_id, '', 0, 0, if(k.profile = '', '{}', k.profile),
          ifNull(least(k.first, d.first), d.first), ifNull(greatest(k.last, d.last), d.last), k.dates
        FROM (${dropped(isInTime(deadline()))}) AS d LEFT JOIN (${known}) AS k ON k.user_id = d.user_id`;
      const queryId = `${run}${randomUUID()}`;
      const until = performance.now() + READING;
      try {
        await clickHouse.run({ sql, params: { project, since, arrival } }, { queryId, time: READING });
      } catch (error) {
        throw isOver(error) ? error : new InsertFailed(error, endStatement(clickHouse, queryId, until));
      }
    });
    await remembered.catch((error: unknown) => {
      throw reasonOf(error);
    });
  }

  /** Nothing older comes in, so nobody need wait. Rows are marked; their bytes go when ClickHouse merges their parts. */
  async #drop(due: readonly Due[]): Promise<void> {
    const { clickHouse } = this.#options;
    const bySince = [...Map.groupBy(due, ({ since }) => since)];
    const which = bySince.map(([since], i) => `(time < ${since} AND project IN {projects${i}:Array(String)})`);
    const params = Object.fromEntries(bySince.map(([, of], i) => [`projects${i}`, of.map(({ id }) => id)]));
    const sql = `DELETE FROM ${localTable(EVENTS.name, clickHouse.cluster)} WHERE ${which.join(' OR ')}`;
    // Marks rows in every part that has some.
    await clickHouse.run({ sql, params }, { time: 3_600_000, settings: { lightweight_deletes_sync: '2' } });
  }
}

/** The start of a day (UTC), so that each project has at most one deletion a day. */
const keptSince = (days: number, now: number): number => Math.floor((now - days * DAY_MS) / DAY_MS) * DAY_MS;
