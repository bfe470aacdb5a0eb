/** Asks what alerts ask, when their time has come, and keeps what they have seen and whom to tell. teller.ts tells them. */
import PQueue from 'p-queue';
import { type Alert, MAX_ALERT_ROWS } from '../../alerts/alert.ts';
import { judge, parseAlertCondition, queryOfAlert } from '../../alerts/condition.ts';
import { type Notice, NOTICE_ROWS } from '../../alerts/notice.ts';
import { AppError, type ErrorData } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { monotonic } from '../../base/monotonic.ts';
import { Recurring } from '../../base/recurring.ts';
import type { ControlDatabase } from '../../control/database.ts';
import { newId } from '../../control/key-text.ts';
import type { DueAlert, Finished } from '../../control/projects/alert-runs.ts';
import { alertFrom, nextAt } from '../../control/projects/alerts.ts';
import type { Project } from '../../control/types.ts';
import type { DashboardData, Envelope } from '../../dashboards/data.ts';
import { isForLater } from './ask.ts';

/** Of all projects at once: queries of alerts leave room for those of people. */
const AT_ONCE = 4;
/** Taken at once: those that wait for others are taken by nobody else. */
const TAKEN = 16;
/** Before an alert that could not get a turn asks again. Milliseconds. */
const LATER_MS = 30_000;
/** A clock that differs by so much from the last look was set. Milliseconds. */
const SET_MS = 60_000;

/** As a part of the service; a test has its own. */
export interface AlertQuestions {
  /** Rejects with AppError as POST /query answers. */
  readonly query: (project: Project, asked: { q: string; timezone: string | null; limit: number }) => Promise<Envelope>;
  /** Rejects with AppError. */
  readonly dashboard: (project: Project, id: string) => Promise<DashboardData>;
  /** Milliseconds until the project has queries left; 0: it has. */
  readonly wait: (project: Project) => number;
}

interface Parts {
  readonly control: Pick<ControlDatabase, 'alerts' | 'projects'>;
  readonly asking: AlertQuestions;
  /** The address of a page of the console. */
  readonly pageUrl: (path: string) => string;
  /** How long asking may take at most, milliseconds: whoever has taken an alert for longer has died. */
  readonly lease: number;
  readonly log: Log;
  /** The clock that somebody may set, and the one that nobody does, for tests. */
  readonly now?: () => number;
  readonly since?: () => number;
}

/** What asking has found. */
type Seen = Pick<Notice, 'columns' | 'rows' | 'total' | 'report' | 'saw'> & {
  /** null: a report. */
  readonly met: boolean | null;
};

const NOTHING = { columns: [], rows: [], total: 0, report: null } as const;

export class AlertRunner {
  readonly #parts: Parts;
  readonly #queue = new PQueue({ concurrency: AT_ONCE });
  readonly #looks: Recurring;
  readonly #now: () => number;
  readonly #since: () => number;
  #ended = false;
  /** By how much the clock that may be set is ahead of the other. Not known: it may have been set while nothing ran. */
  #ahead = Infinity;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#now = parts.now ?? Date.now;
    this.#since = parts.since ?? monotonic;
    this.#looks = new Recurring({
      every: 1_000,
      act: () => this.look(),
      onTrouble: (error) => this.#ended || parts.log.error({ err: error }, 'alerts cannot be read or written; they will be retried'),
    });
  } // prettier-ignore

  start(): void {
    this.#looks.start();
  }

  /** What is asking is given back, and asks after the next start. */
  async close(): Promise<void> {
    this.#ended = true;
    await this.#looks.close();
    await this.#queue.onIdle();
  }

  /** Takes all alerts that are due, some at a time. Resolves when the last of them have begun. */
  async look(): Promise<void> {
    const { control, lease } = this.#parts;
    await this.#watchClock();
    while (!this.#ended) {
      const taken = await control.alerts.runs.claim(TAKEN, lease);
      for (const due of taken) void this.#queue.add(() => this.#take(due));
      await this.#queue.onSizeLessThan(1);
      if (taken.length < TAKEN) return;
    }
  }

  /** Resolves when nothing asks. */
  idle(): Promise<void> {
    return this.#queue.onIdle();
  }

  /** A clock that is set forward makes what it leaps over due, once; one that is set back would let alerts sleep. */
  async #watchClock(): Promise<void> {
    const ahead = this.#now() - this.#since();
    const wasSetBack = ahead < this.#ahead - SET_MS;
    this.#ahead = ahead;
    if (wasSetBack) await this.#parts.control.alerts.reschedule(this.#parts.lease);
  }

  async #take(due: DueAlert): Promise<void> {
    const { control, log } = this.#parts;
    try {
      const { at, finished } = await this.#run(due);
      if (finished !== null) await control.alerts.runs.finish(due, finished);
      else if (at !== null) await control.alerts.runs.postpone(due, at);
    } catch (error) {
      if (!this.#ended)
        log.error(
          { err: error, project: due.projectId },
          'an alert could not be looked up or recorded; it will be retried',
        );
    }
  }

  /** What a run leads to, or when to try it again; neither: its project is gone. */
  async #run(due: DueAlert): Promise<{ readonly at: number | null; readonly finished: Finished | null }> {
    const { control, asking } = this.#parts;
    const later = (ms: number) => ({ at: this.#now() + ms, finished: null });
    const project = await control.projects.find(due.projectId);
    if (project === null) return { at: null, finished: null };
    if (this.#ended) return later(0); // here, as what asks from now on is canceled by nobody
    const wait = asking.wait(project);
    if (wait > 0) return later(wait);
    const alert = alertFrom(due.checked);
    const finishing = (outcome: Omit<Finished, 'nextAt'>) => ({ at: null, finished: { ...outcome, nextAt: nextAt(alert, project, this.#now()) } }); // prettier-ignore
    try {
      const seen = await this.#see(project, alert);
      return finishing(this.#outcomeOf(due, { project, alert, seen }));
    } catch (error) {
      if (this.#ended) return later(0);
      const { code, message, hints = [] } = this.#dataOf(error, due);
      if (isForLater(code)) return later(LATER_MS);
      if (code === 'suspended') return finishing({ outcome: 'skipped', saw: message, state: due.state, tell: null });
      const saw = [message, ...hints].join(' ');
      const isNew = due.state !== 'broken';
      const notice = this.#noticeOf('broken', { project, alert, seen: { ...NOTHING, met: null, saw } });
      return finishing({ outcome: 'broken', saw, state: 'broken', tell: isNew ? { notice, to: alert.to } : null });
    }
  } // prettier-ignore

  /** A mistake of the service is logged, and told as one: an alert that goes on failing in silence warns nobody. */
  #dataOf(error: unknown, { projectId, id }: DueAlert): ErrorData {
    if (error instanceof AppError) return error.data;
    this.#parts.log.error({ err: error, project: projectId, alert: id }, 'an alert could not ask');
    return {
      code: 'internal',
      message: 'The service has failed to ask: this is its own mistake, which is in its log.',
    };
  }

  /** Rejects with AppError for what cannot be answered. */
  async #see(project: Project, alert: Alert): Promise<Seen> {
    const { asking } = this.#parts;
    const { query, dashboard, when, timezone, to } = alert;
    if (query === null) {
      const report = await asking.dashboard(project, dashboard ?? '');
      const failed = Object.values(report.cards).filter(({ state }) => state === 'error').length;
      const saw = `the dashboard “${report.dashboard.title}”${failed === 0 ? '' : `, of which ${failed} cards have no answer`}`;
      const isMailed = to.some(({ kind }) => kind === 'email'); // hooks get its name and the link
      return { ...NOTHING, report: isMailed ? report : null, met: null, saw };
    }
    const condition = when === null ? null : parseAlertCondition(when);
    if (when !== null && condition === null) throw new AppError('bad_query', `There is no condition ${JSON.stringify(when)}.`); // of an imported project, which nobody has checked
    const asked = { q: queryOfAlert(query, condition), timezone, limit: MAX_ALERT_ROWS };
    const { columns, rows, total } = await asking.query(project, asked);
    const told = { columns, rows: rows.slice(0, NOTICE_ROWS), total, report: null };
    if (condition === null) return { ...told, met: null, saw: `${total.toLocaleString('en')} ${total === 1 ? 'row' : 'rows'}` };
    const judged = judge(condition, { columns, rows });
    if ('problem' in judged) throw new AppError('bad_query', `${judged.problem}.`);
    return { ...told, ...judged };
  } // prettier-ignore

  /** Tells what is new: that it begins, that it is over, or a report. */
  #outcomeOf({ state }: DueAlert, found: Found): Omit<Finished, 'nextAt'> {
    const { met, saw } = found.seen;
    const telling = (kind: Notice['kind'], seen = found.seen) => ({ notice: this.#noticeOf(kind, { ...found, seen }), to: found.alert.to }); // prettier-ignore
    if (met === null) return { outcome: 'report', saw, state: 'ok', tell: telling('report') };
    if (met && state === 'firing') return { outcome: 'firing', saw, state, tell: null };
    if (met) return { outcome: 'fired', saw, state: 'firing', tell: telling('fired') };
    if (state === 'ok') return { outcome: 'ok', saw, state, tell: null };
    const again = state === 'broken' ? { ...found.seen, saw: `It can be answered again: ${saw}` } : found.seen;
    return { outcome: 'over', saw, state: 'ok', tell: telling('over', again) };
  }

  #noticeOf(kind: Notice['kind'], { project, alert, seen: { met: _met, ...seen } }: Found): Notice {
    const { id, title, description, dashboard } = alert;
    const page = `/console/projects/${project.id}/${dashboard === null ? 'alerts' : 'dashboards'}/${dashboard ?? id}`;
    return {
      ...{ kind, id: newId('msg_'), at: this.#now(), project: { id: project.id, name: project.name } },
      ...{ alert: { id, title, description }, url: this.#parts.pageUrl(page), ...seen },
    };
  }
}

interface Found {
  readonly project: Project;
  readonly alert: Alert;
  readonly seen: Seen;
}
