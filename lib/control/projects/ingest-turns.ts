import { sql } from 'kysely';
import type { ControlConnection } from '../storage/connection.ts';

/** `held`: somebody else has the turn; `unknown`: nobody has ever had one (`begin`); a number: the first of those wanted. */
type Taken = number | 'held' | 'unknown';

/**
 * Turns to add events to a project, where several nodes share a store: only who has the turn may, and gets arrival numbers that
 * nobody else has had. A turn ends when it is given back, or when its time is over. Each call is one statement of its own.
 */
export class IngestTurns {
  readonly #connection: ControlConnection;

  constructor(connection: ControlConnection) {
    this.#connection = connection;
  }

  /** @param holder Another one for each turn. @param lease How long without `renew`, milliseconds. */
  async take(
    projectId: string,
    { holder, count, lease }: { readonly holder: string; readonly count: number; readonly lease: number },
  ): Promise<Taken> {
    const { db, time } = this.#connection;
    const next = sql<number>`next_arrival + ${sql.lit(count)}`;
    const taken = await db
      .updateTable('ingest_turns')
      .set({ holder, next_arrival: next, held_until: this.#until(lease) })
      .where('project_id', '=', projectId)
      .where((is) => is.or([is('holder', 'is', null), is('held_until', '<', time)]))
      .returning('next_arrival')
      .executeTakeFirst();
    if (taken !== undefined) return taken.next_arrival - count;
    const known = db.selectFrom('ingest_turns').select('holder').where('project_id', '=', projectId);
    return (await known.executeTakeFirst()) === undefined ? 'unknown' : 'held';
  }

  /** Makes a project's first turn possible. @param first An arrival number that none of its events has, nor any below it. */
  async begin(projectId: string, first: number): Promise<void> {
    const row = { project_id: projectId, next_arrival: first, holder: null, held_until: 0 };
    const insert = this.#connection.db.insertInto('ingest_turns').values(row);
    await insert.onConflict((known) => known.doNothing()).execute();
  }

  /** False: the turn is over, and somebody else may have had one. */
  async renew(
    projectId: string,
    { holder, lease }: { readonly holder: string; readonly lease: number },
  ): Promise<boolean> {
    const { numUpdatedRows } = await this.#connection.db
      .updateTable('ingest_turns')
      .set({ held_until: this.#until(lease) })
      .where('project_id', '=', projectId)
      .where('holder', '=', holder)
      .executeTakeFirst();
    return numUpdatedRows === 1n;
  }

  /** Ends a turn, unless it is over. */
  async give(projectId: string, holder: string): Promise<void> {
    const update = this.#connection.db.updateTable('ingest_turns').set({ holder: null });
    await update.where('project_id', '=', projectId).where('holder', '=', holder).execute();
  }

  #until(lease: number) {
    return sql<number>`${this.#connection.time} + ${sql.lit(lease)}`;
  }
}
