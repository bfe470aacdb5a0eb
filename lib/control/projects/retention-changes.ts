/** A shorter retention that removes stored events begins a day after it was asked for, and can be undone until then. */
import { DAY_MS, isoTime } from '../../base/day.ts';
import { AppError } from '../../base/errors.ts';
import type { Audit } from '../audit.ts';
import type { ControlConnection } from '../storage/connection.ts';
import type { Actor, Changes, Project } from '../types.ts';

/** Milliseconds. */
const DELAY = DAY_MS;

/** Who begins it, in the audit trail. */
const WINDLASS: Actor = { name: 'windlass', ip: null };

/** What a shorter retention would remove, as counted before it is asked for. */
export interface RetentionRemoval {
  /** The retention that it replaces. */
  readonly from: number | null;
  readonly days: number;
  /** Stored events that are older. */
  readonly events: number;
  /** Whoever asks for it knows of them. */
  readonly confirmed: boolean;
}

/** Whether events that were kept would go. null: for ever. */
export function isShorter(days: number | null, than: number | null): days is number {
  return days !== null && (than === null || days < than);
}

export class RetentionChanges {
  readonly #connection: ControlConnection;
  readonly #audit: Audit;

  constructor(connection: ControlConnection, audit: Audit) {
    this.#connection = connection;
    this.#audit = audit;
  }

  /**
   * Asks for a retention; returns what the project has now, and what to tell of it. Inside a transaction of the caller. Throws
   * AppError `conflict` if it would remove events of which nobody knows.
   */
  async ask(
    { id, settings: { retentionDays: current }, retention: { next } }: Project,
    days: number | null,
    removal: RetentionRemoval | null,
  ): Promise<{ readonly now: number | null; readonly changes: Changes }> {
    if (next !== null && next.retentionDays === days) return { now: current, changes: {} };
    const told = { from: next?.retentionDays ?? current, to: days };
    const begins = next === null ? null : isoTime(next.beginsAt);
    const beginsAt = isShorter(days, current) ? this.#beginning(days, current, removal) : null;
    await this.#remove(id, 0);
    if (!isShorter(days, current) || removal === null || beginsAt === null)
      return { now: days, changes: { retention_days: told, begins_at: { from: begins, to: null } } };
    const row = { project_id: id, retention_days: days, begins_at: beginsAt, events: removal.events, begun: 0 };
    await this.#connection.db.insertInto('retention_changes').values(row).execute();
    return { now: current, changes: { retention_days: told, begins_at: { from: begins, to: isoTime(beginsAt) } } };
  }

  /** Begins what is due at a time, milliseconds since the epoch; returns how many. Each is begun by one process only. */
  async begin(now: number): Promise<number> {
    const due = await this.#due(now);
    for (const { id } of due) await this.#connection.write(() => this.#beginOne(id, now));
    return due.length;
  }

  /** When a retention begins that is shorter; null: at once, as nothing is as old. */
  #beginning(days: number, current: number | null, removal: RetentionRemoval | null): number | null {
    if (removal === null || removal.days !== days || removal.from !== current) throw changedMeanwhile();
    if (removal.events === 0) return null;
    if (!removal.confirmed) throw unconfirmed(removal);
    return this.#connection.now() + DELAY;
  }

  async #beginOne(id: string, now: number): Promise<void> {
    const due = (await this.#due(now)).find((one) => one.id === id);
    if (due === undefined) return; // undone meanwhile, or another process was faster
    const { db } = this.#connection;
    await this.#remove(id, 1);
    await db.updateTable('retention_changes').set({ begun: 1 }).where('project_id', '=', id).execute();
    await db.updateTable('projects').set({ retention_days: due.days }).where('id', '=', id).execute();
    const changes = { retention_days: { from: due.from, to: due.days } };
    await this.#audit.appendChanges({ orgId: due.orgId, action: 'project.update', target: id, changes }, WINDLASS);
  }

  #due(now: number) {
    return this.#connection.db
      .selectFrom('retention_changes')
      .innerJoin('projects', 'projects.id', 'project_id')
      .select(['projects.id', 'projects.org_id as orgId', 'projects.retention_days as from'])
      .select('retention_changes.retention_days as days')
      .where('begun', '=', 0)
      .where('begins_at', '<=', now)
      .execute();
  }

  async #remove(id: string, begun: 0 | 1): Promise<void> {
    const changes = this.#connection.db.deleteFrom('retention_changes').where('project_id', '=', id);
    await changes.where('begun', '=', begun).execute();
  }
}

function unconfirmed({ days, events }: RetentionRemoval): AppError {
  const stored = `${events.toLocaleString('en')} stored ${events === 1 ? 'event is' : 'events are'}`;
  return new AppError('conflict', `${stored} older than ${days} ${days === 1 ? 'day' : 'days'} and would be removed.`, {
    events,
    hints: [
      'Nothing was changed. To remove them, send the same with "confirm": true (wl: --yes); it begins 24 hours later, and can be undone until then.',
    ],
  });
}

function changedMeanwhile(): AppError {
  return new AppError('conflict', 'The retention of this project was changed meanwhile. Nothing was changed now.', {
    hints: ['Look at its settings, and send the change again if it is still wanted.'],
  });
}
