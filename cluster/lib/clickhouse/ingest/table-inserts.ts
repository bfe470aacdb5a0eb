/** Inserts into one table: what comes while inserts run goes together in the next, whatever projects it is of. */
import { randomUUID } from 'node:crypto';
import type { ClickHouseSettings } from '@clickhouse/client';
import type { ClickHouse } from '../client.ts';
import type { Table } from '../schema.ts';
import { InsertFailed, INSERT_TIME, type Deadline } from './project-lock.ts';
import { isOver, isNobodyThere } from '../server-error.ts';
import { setTimeout as pause } from 'node:timers/promises';
import { AppError } from '../../../../lib/seam.ts';

/** Inserts at once: a part is written while the next is sent. */
const AT_ONCE = 2;
/** Of inserts of many rows. */
export const INSERT_SETTINGS: ClickHouseSettings = {
  async_insert: 0, // here rows wait for each other already
  max_partitions_per_insert_block: '1000', // there is one for each month since 2015
};

interface Waiting {
  readonly rows: readonly string[];
  readonly bytes: number;
  readonly deadline: Deadline;
  readonly done: () => void;
  readonly failed: (error: InsertFailed) => void;
}

export class TableInserts {
  readonly #clickHouse: ClickHouse;
  readonly #table: Table;
  readonly #run: string;
  readonly #waiting: Waiting[] = [];
  #running = 0;

  /** @param run What ids of inserts begin with. */
  constructor(clickHouse: ClickHouse, table: Table, run: string) {
    this.#clickHouse = clickHouse;
    this.#table = table;
    this.#run = run;
  }

  /** Resolves when the rows are stored; rejects with InsertFailed, also after `deadline`. Each ends with a line break. */
  insert(rows: readonly string[], deadline: Deadline): Promise<void> {
    if (rows.length === 0) return Promise.resolve();
    const bytes = rows.reduce((sum, row) => sum + Buffer.byteLength(row), 0);
    return new Promise((done, failed) => {
      this.#waiting.push({ rows, bytes, deadline, done, failed });
      // Not at once: other requests of this turn of the event loop go along.
      if (this.#running < AT_ONCE) setImmediate(() => void this.#send());
    });
  }

  async #send(): Promise<void> {
    if (this.#running >= AT_ONCE || this.#waiting.length === 0) return;
    this.#running++;
    const group = this.#take();
    const queryId = `${this.#run}${randomUUID()}`;
    const until = performance.now() + INSERT_TIME;
    const rows = Buffer.from(group.flatMap((waiting) => waiting.rows).join(''));
    try {
      await this.#clickHouse.insert(this.#table, rows, {
        queryId,
        time: INSERT_TIME,
        settings: INSERT_SETTINGS,
        beginsBy: earliest(group),
      });
      for (const { done } of group) done();
    } catch (error) {
      const over = isOver(error) ? Promise.resolve() : endStatement(this.#clickHouse, queryId, until);
      for (const { failed } of group) failed(new InsertFailed(error, over));
    }
    this.#running--;
    void this.#send();
  }

  #take(): readonly Waiting[] {
    let bytes = 0;
    // Bytes of one insert, unless a single request has more.
    const past = this.#waiting.findIndex((waiting, i) => (bytes += waiting.bytes) > 32 << 20 && i > 0);
    return this.#waiting.splice(0, past < 0 ? this.#waiting.length : past);
  }
}

const earliest = (group: readonly Waiting[]): number => Math.min(...group.map(({ deadline }) => deadline()));

/**
 * Ends a statement that may still be running. A server that answers nothing may stand still, and go on with the statement later,
 * however long its time is over: so it is asked until it answers. Of a cluster, only until `until` (by `performance.now()`), or once:
 * one of its servers may be away for days.
 */
export async function endStatement(clickHouse: ClickHouse, queryId: string, until: number): Promise<void> {
  do {
    try {
      await clickHouse.kill(queryId, 'SYNC');
      return;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      if (clickHouse.cluster === null && isNobodyThere(error)) return; // it ended with its server
      await pause(200, undefined, { ref: false }); // between attempts
    }
  } while (clickHouse.cluster === null || performance.now() < until);
}
