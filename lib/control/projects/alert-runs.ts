/** What alerts have seen, and whom it is still to be told. Several nodes may share them: each run and each message is taken by one. */
import { sql } from 'kysely';
import type { Target } from '../../alerts/alert.ts';
import type { Notice } from '../../alerts/notice.ts';
import { readJson } from '../../base/text/read-json.ts';
import type { ControlConnection } from '../storage/connection.ts';
import type { ALERT_OUTCOMES, ALERT_STATES } from '../storage/tables.ts';

/** Runs kept of an alert. */
export const MAX_RUNS = 50;
/** Characters of what a run has seen. */
const MAX_SAW = 2_000;
/** Of messages of a project that wait: receivers may be away for days. */
const MAX_WAITING_BYTES = 16 << 20;
const FORGOTTEN = 'forgotten, as a person was erased';

/** Of what is due, in its organization: `place` in its project first. */
const TURN = sql<number>`row_number() OVER (PARTITION BY org_id ORDER BY place, random())`.as('turn');

type State = (typeof ALERT_STATES)[number];

/** An alert whose time has come. Nobody else takes it until `until`, when whoever took it has died. */
export interface DueAlert {
  readonly projectId: string;
  readonly id: string;
  readonly version: number;
  readonly state: State;
  readonly checked: string;
  readonly until: number;
  /** How often it had to forget people. */
  readonly forgotten: number;
}

/** One of those to tell, and what came of it. */
export interface Telling extends Target {
  readonly state: 'waiting' | 'delivered' | 'given up';
  /** A status, or why there was none; null: not tried. */
  readonly answer: string | null;
}

export interface AlertRun {
  readonly number: number;
  readonly at: number;
  readonly outcome: (typeof ALERT_OUTCOMES)[number];
  /** A sentence. */
  readonly saw: string;
  readonly told: readonly Telling[];
  /** When those that wait are told again; null: none does. */
  readonly dueAt: number | null;
}

/** What a run leads to. */
export interface Finished extends Pick<AlertRun, 'outcome' | 'saw'> {
  readonly state: State;
  readonly nextAt: number | null;
  /** What to tell whom; null: nothing. */
  readonly tell: { readonly notice: Notice; readonly to: readonly Target[] } | null;
}

export interface DueNotice {
  readonly projectId: string;
  readonly id: string;
  readonly number: number;
  readonly madeAt: number;
  readonly tries: number;
  readonly notice: Notice;
  readonly told: readonly Telling[];
  readonly until: number;
}

export class AlertRuns {
  readonly #connection: ControlConnection;

  constructor(connection: ControlConnection) {
    this.#connection = connection;
  }

  /** Takes due alerts for `lease` milliseconds: the first of each organization in any order, then the second of each, and so on; in it the same of projects. */
  async claim(most: number, lease: number): Promise<readonly DueAlert[]> {
    const any = await this.#dueAlerts().select('alerts.id').limit(1).executeTakeFirst();
    if (any === undefined) return []; // most often: then nothing is written
    return this.#connection.write(async () => {
      const { db, now } = this.#connection;
      const until = now() + lease;
      const place = sql<number>`row_number() OVER (PARTITION BY project_id ORDER BY next_at, alerts.id)`.as('place');
      const due = this.#dueAlerts().innerJoin('projects', 'projects.id', 'project_id').select(['project_id', 'alerts.id', 'version', 'state', 'forgotten', 'org_id', place]);
      const inTurns = db.selectFrom(due.as('due')).select(['project_id', 'id', 'version', 'state', 'forgotten', TURN]);
      const rows = await inTurns.orderBy('turn').orderBy(sql`random()`).limit(most).execute();
      const taken: DueAlert[] = [];
      for (const { project_id: projectId, id, version, state, forgotten } of rows) {
        const named = db.selectFrom('alert_versions').select('checked').where('project_id', '=', projectId);
        const { checked } = await named.where('id', '=', id).where('version', '=', version).executeTakeFirstOrThrow();
        await db.updateTable('alerts').set({ next_at: until }).where('project_id', '=', projectId).where('id', '=', id).execute();
        taken.push({ projectId, id, version, state, checked, until, forgotten });
      }
      return taken;
    });
  } // prettier-ignore

  /** Gives an alert back that was taken, to ask at a time. */
  async postpone(due: DueAlert, at: number): Promise<void> {
    await this.#connection.write(() => this.#holding(due).set({ next_at: at }).execute());
  }

  /** Records a run. False: the alert was changed or taken meanwhile, and nothing is recorded. */
  async finish(due: DueAlert, { outcome, saw, state, nextAt, tell }: Finished): Promise<boolean> {
    const { projectId, id } = due;
    return this.#connection.write(async () => {
      const { db, now } = this.#connection;
      const since = state === due.state ? {} : { state, since: now() };
      const held = await this.#holding(due).set({ next_at: nextAt, ...since }).returning('forgotten').executeTakeFirst();
      if (held === undefined) return false;
      const isErased = held.forgotten !== due.forgotten; // somebody was, since it asked
      const all = db.selectFrom('alert_runs').where('project_id', '=', projectId).where('id', '=', id);
      const { last } = await all.select(({ fn }) => fn.max<number | null>('number').as('last')).executeTakeFirstOrThrow();
      const number = (last ?? 0) + 1;
      const told = (tell?.to ?? []).map((target): Telling => ({ ...target, state: 'waiting', answer: null }));
      const notice = tell === null ? null : await this.#kept(isErased ? bare(tell.notice, FORGOTTEN) : tell.notice);
      const message = { notice, told: JSON.stringify(told), due_at: tell === null ? null : now() };
      const seen = isErased ? FORGOTTEN : saw.slice(0, MAX_SAW).toWellFormed().replaceAll('\0', ''); // PostgreSQL takes no zero, and anybody may send one
      const run = { project_id: projectId, id, number, at: now(), outcome, saw: seen };
      await db.insertInto('alert_runs').values({ ...run, ...message }).execute();
      const old = db.deleteFrom('alert_runs').where('project_id', '=', projectId).where('id', '=', id);
      await old.where('number', '<=', number - MAX_RUNS).execute();
      return true;
    });
  } // prettier-ignore

  /** The last ones, newest first. */
  async list(projectId: string, id: string): Promise<readonly AlertRun[]> {
    const all = this.#connection.db.selectFrom('alert_runs').where('project_id', '=', projectId).where('id', '=', id);
    const rows = await all
      .select(['number', 'at', 'outcome', 'saw', 'told', 'due_at as dueAt'])
      .orderBy('number', 'desc')
      .execute();
    return rows.map(({ told, ...run }) => ({ ...run, told: tellingsOf(told) }));
  }

  /** Takes runs of which somebody is to be told, for `lease` milliseconds: in turns, as `claim` does. */
  async claimNotices(most: number, lease: number): Promise<readonly DueNotice[]> {
    if ((await this.#dueRuns().select('id').limit(1).executeTakeFirst()) === undefined) return [];
    return this.#connection.write(async () => {
      const { db, now } = this.#connection;
      const until = now() + lease;
      const place = sql<number>`row_number() OVER (PARTITION BY project_id ORDER BY due_at, alert_runs.id, number)`.as('place');
      const due = this.#dueRuns().innerJoin('projects', 'projects.id', 'project_id').select(['project_id', 'alert_runs.id', 'number', 'org_id', place]);
      const inTurns = db.selectFrom(due.as('due')).select(['project_id', 'id', 'number', TURN]);
      const rows = await inTurns.orderBy('turn').orderBy(sql`random()`).limit(most).execute();
      const taken: DueNotice[] = [];
      for (const { project_id: projectId, id, number } of rows) {
        const one = db.updateTable('alert_runs').set({ due_at: until }).where('project_id', '=', projectId).where('id', '=', id).where('number', '=', number);
        const { at: madeAt, tries, notice, told } = await one.returning(['at', 'tries', 'notice', 'told']).executeTakeFirstOrThrow();
        taken.push({ projectId, id, number, madeAt, tries, until, notice: noticeOf(notice), told: tellingsOf(told) });
      }
      return taken;
    });
  } // prettier-ignore

  /** Records a try. `dueAt`: when those that wait are told again; null: never. */
  async told({ projectId, id, number, until, tries }: DueNotice, told: readonly Telling[], dueAt: number | null): Promise<void> {
    const outcome = { told: JSON.stringify(told), due_at: dueAt, tries: tries + 1, ...(dueAt === null && { notice: null }) };
    await this.#connection.write(async () => {
      const one = this.#connection.db.updateTable('alert_runs').set(outcome).where('project_id', '=', projectId).where('id', '=', id);
      await one.where('number', '=', number).where('due_at', '=', until).execute();
    });
  } // prettier-ignore

  /** After a clock was set back: what was seen later than now is told now, unless somebody may be telling it. */
  async reschedule(lease: number): Promise<void> {
    await this.#connection.write(async () => {
      const { db, now } = this.#connection;
      const time = now();
      const later = db
        .updateTable('alert_runs')
        .set({ due_at: time })
        .where('due_at', '>', time + lease);
      await later.where('at', '>', time + lease).execute();
    });
  }

  /** What the project's alerts have seen may name somebody who is erased: it goes, also from messages that wait and from what asks now. */
  async forget(projectId: string): Promise<void> {
    await this.#connection.write(async () => {
      const { db } = this.#connection;
      const alerts = db.updateTable('alerts').set((alert) => ({ forgotten: alert('forgotten', '+', 1) }));
      await alerts.where('project_id', '=', projectId).execute();
      const own = db.selectFrom('alert_runs').where('project_id', '=', projectId).where('notice', 'is not', null);
      for (const { id, number } of await own.select(['id', 'number']).execute()) {
        const { notice } = await own.where('id', '=', id).where('number', '=', number).select('notice').executeTakeFirstOrThrow(); // one at a time: they may be large
        const one = db.updateTable('alert_runs').set({ notice: JSON.stringify(bare(noticeOf(notice), FORGOTTEN)) });
        await one.where('project_id', '=', projectId).where('id', '=', id).where('number', '=', number).execute();
      }
      await db.updateTable('alert_runs').set({ saw: FORGOTTEN }).where('project_id', '=', projectId).execute();
    });
  } // prettier-ignore

  /** A message as it is stored: without the answer, if those of the project that wait hold too much already. */
  async #kept(notice: Notice): Promise<string> {
    const waiting = this.#connection.db.selectFrom('alert_runs').where('project_id', '=', notice.project.id).where('notice', 'is not', null);
    const { held } = await waiting.select(sql<number | null>`sum(octet_length(notice))`.as('held')).executeTakeFirstOrThrow();
    const text = JSON.stringify(notice);
    if ((held ?? 0) + text.length <= MAX_WAITING_BYTES) return text;
    return JSON.stringify(bare(notice, `${notice.saw} (without the answer: too much waits to be told)`));
  } // prettier-ignore

  #dueAlerts() {
    return this.#connection.db.selectFrom('alerts').where('next_at', '<=', this.#connection.now());
  }

  #dueRuns() {
    return this.#connection.db.selectFrom('alert_runs').where('due_at', '<=', this.#connection.now());
  }

  /** The alert, while it is as it was taken. */
  #holding({ projectId, id, version, until }: DueAlert) {
    const one = this.#connection.db.updateTable('alerts').where('project_id', '=', projectId).where('id', '=', id);
    return one.where('version', '=', version).where('next_at', '=', until);
  }
}

/** Without the answer. */
const bare = (notice: Notice, saw: string): Notice => ({ ...notice, saw, rows: [], report: null });

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what `finish` has written
const noticeOf = (json: string | null): Notice => readJson(json ?? 'null') as Notice;

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what `finish` and `told` have written
const tellingsOf = (json: string): readonly Telling[] => readJson(json) as readonly Telling[];
