import { sql } from 'kysely';
import type { KeptTurn, TakenTurn, WantedTurn } from '../../base/ingest-turn.ts';
import type { ControlConnection } from '../storage/connection.ts';

/** Holds the turn of a deleted project for ever. */
const NOBODY = '';

/**
 * Turns to add events to a project, where several nodes share a store: only who has the turn may, and gets arrival numbers that
 * nobody else has had. A turn ends when it is given back, or taken over after its time. After what removed a deleted project
 * there are no more (`end`), on any node: whoever did not hear of the deletion yet is told here.
 */
export class IngestTurns {
  readonly #connection: ControlConnection;

  constructor(connection: ControlConnection) {
    this.#connection = connection;
  }

  async take(
    projectId: string,
    { holder, ofRun, over, count, lease, ofDeleted = false }: WantedTurn,
  ): Promise<TakenTurn> {
    const { db, time } = this.#connection;
    const next = sql<number>`next_arrival + ${sql.lit(count)}`;
    const ownRun = sql<string>`substr(holder, 1, ${sql.lit(ofRun.length)})`;
    const taken = await db
      .updateTable('ingest_turns')
      .set({ holder, next_arrival: next, held_until: this.#until(lease) })
      .where('project_id', '=', projectId)
      .where((is) =>
        is.or([
          is('holder', 'is', null),
          is(ownRun, '=', ofRun),
          ...(ofDeleted ? [is('holder', '=', NOBODY)] : []),
          is.and([is('holder', '=', over?.holder ?? null), is('held_until', '=', over?.heldUntil ?? 0)]),
        ]),
      )
      .returning('next_arrival')
      .executeTakeFirst();
    if (taken !== undefined) return taken.next_arrival - count;
    const turn = db.selectFrom('ingest_turns').where('project_id', '=', projectId);
    const found = await turn.select(['holder', 'held_until as heldUntil', time.as('now')]).executeTakeFirst();
    if (found === undefined) return 'unknown';
    const { holder: other, heldUntil, now } = found;
    if (other === NOBODY) return 'deleted';
    if (other === null) return { holder: '', heldUntil, isOver: false }; // it was just given back: the next attempt takes it
    return { holder: other, heldUntil, isOver: heldUntil < now };
  }

  /**
   * Makes turns of a project possible. Numbers below `first` are not given out any more, also where turns were possible before.
   * @param first An arrival number that none of its events has, nor any above it.
   */
  async begin(projectId: string, first: number): Promise<void> {
    const row = { project_id: projectId, next_arrival: first, holder: null, held_until: 0 };
    const insert = this.#connection.db.insertInto('ingest_turns').values(row);
    await insert
      .onConflict((known) =>
        known.column('project_id').doUpdateSet({ next_arrival: first }).where('ingest_turns.next_arrival', '<', first),
      )
      .execute();
  }

  /** False: the turn is over, and somebody else may have had one. */
  async renew(projectId: string, { holder, lease }: KeptTurn): Promise<boolean> {
    const { numUpdatedRows } = await this.#connection.db
      .updateTable('ingest_turns')
      .set({ held_until: this.#until(lease) })
      .where('project_id', '=', projectId)
      .where('holder', '=', holder)
      .executeTakeFirst();
    return numUpdatedRows === 1n;
  }

  /** Ends a turn as the last one: nothing is added to the project any more. False: it was over. */
  async end(projectId: string, holder: string): Promise<boolean> {
    const update = this.#connection.db.updateTable('ingest_turns').set({ holder: NOBODY });
    const ended = await update.where('project_id', '=', projectId).where('holder', '=', holder).executeTakeFirst();
    return ended.numUpdatedRows === 1n;
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
