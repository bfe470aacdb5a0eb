/** Rows for one table in inserts of a bounded size; the next is made while ClickHouse stores the one before. */
import { randomUUID } from 'node:crypto';
import type { ClickHouse } from '../client.ts';
import { INSERT_SETTINGS } from '../ingest/table-inserts.ts';
import type { Table } from '../schema.ts';

/** Of one insert. */
const ROWS = 50_000;
const BYTES = 16 << 20;

/** Ends inserts that an earlier run may have left, so that nothing of them is stored later. */
export async function endInserts(clickHouse: ClickHouse, project: string): Promise<void> {
  await clickHouse.killAll(prefixOf(project));
}

export class BatchInserts {
  readonly #clickHouse: ClickHouse;
  readonly #table: Table;
  readonly #project: string;
  #rows: string[] = [];
  #bytes = 0;
  #running: Promise<void> = Promise.resolve();

  constructor(clickHouse: ClickHouse, table: Table, project: string) {
    this.#clickHouse = clickHouse;
    this.#table = table;
    this.#project = project;
  }

  /** A row ends with a line break. Rejects when an earlier insert failed. */
  async add(row: string): Promise<void> {
    this.#rows.push(row);
    this.#bytes += Buffer.byteLength(row);
    if (this.#rows.length >= ROWS || this.#bytes >= BYTES) await this.#send();
  }

  /** Resolves when all is stored. */
  async end(): Promise<void> {
    if (this.#rows.length > 0) await this.#send();
    await this.#running;
  }

  async #send(): Promise<void> {
    const rows = Buffer.from(this.#rows.join(''));
    this.#rows = [];
    this.#bytes = 0;
    await this.#running;
    const queryId = prefixOf(this.#project) + randomUUID();
    this.#running = this.#clickHouse.insert(this.#table, rows, { queryId, time: 120_000, settings: INSERT_SETTINGS });
    this.#running.catch(() => undefined); // whoever comes next hears of it
  }
}

const prefixOf = (project: string): string => `windlass-move-${project}-`;
