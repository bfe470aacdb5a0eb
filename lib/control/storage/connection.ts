import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';
import { AppError } from '../../base/errors.ts';
import { makePrivate } from '../../base/files/private-files.ts';
import { migrate } from './migrations.ts';

/** How long a statement waits for another process's transaction, in ms: `wl admin` writes for a few ms at a time. */
const BUSY_TIMEOUT_MS = 5000;

/** Pages a backup copies in one step: all of them, since a step at a time starts again whenever somebody writes. */
const ALL_PAGES = 0x7fffffff;

/** What takes the place of `?` in a statement, or a record of what is named in it. */
type Values = readonly (string | number | Buffer | null | object)[];

export interface ConnectionOptions {
  /** Of a server: requests of one turn of the event loop share a look at what other processes changed. */
  readonly serves?: boolean;
  /** Clock, ms since the epoch. */
  readonly now?: () => number;
}

/** The one connection of this process to the control database, and the clock of its records. */
export class ControlConnection {
  readonly db: Database.Database;
  readonly now: () => number;
  readonly #statements = new Map<string, Database.Statement>();
  readonly #afterCommit: (() => void)[] = [];
  #seenDataVersion = -1;
  #epoch = 0;
  readonly #serves: boolean;
  /** Whether the version was looked at in this turn of the event loop. */
  #looked = false;

  constructor(file: string, { now = Date.now, serves = false }: ConnectionOptions) {
    this.now = now;
    this.#serves = serves;
    for (const part of [file, `${file}-wal`, `${file}-shm`]) if (part === file || existsSync(part)) makePrivate(part);
    this.db = new Database(file, { timeout: BUSY_TIMEOUT_MS });
    try {
      this.db.pragma('journal_mode = WAL');
      this.db.pragma('synchronous = FULL');
      this.db.pragma('foreign_keys = ON');
      this.db.pragma('secure_delete = ON');
      this.db.pragma('temp_store = MEMORY');
      migrate(this.db);
    } catch (error) {
      this.db.close();
      throw storageError(error);
    }
  }

  /** The first row of a query; undefined: there is none. Statements stand in the code: they are prepared once and kept. */
  row<Row>(sql: string, ...values: Values): Row | undefined {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- whoever writes the statement knows what it gives
    return this.#statement(sql).get(...values) as Row | undefined;
  }

  rows<Row>(sql: string, ...values: Values): Row[] {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above
    return this.#statement(sql).all(...values) as Row[];
  }

  /** The first column of the first row. */
  value<Value>(sql: string, ...values: Values): Value | undefined {
    const row = this.row<Readonly<Record<string, Value>>>(sql, ...values);
    return row === undefined ? undefined : Object.values(row)[0];
  }

  /** The first column of all rows. */
  values<Value>(sql: string, ...values: Values): Value[] {
    return this.rows<Readonly<Record<string, Value>>>(sql, ...values).flatMap((row) => Object.values(row).slice(0, 1));
  }

  /** Changes rows; tells how many. */
  run(sql: string, ...values: Values): number {
    return this.#statement(sql).run(...values).changes;
  }

  /** Writes a number under a name, inside a transaction of the caller. */
  note(name: string, value: number): void {
    this.run('INSERT OR REPLACE INTO meta (name, value) VALUES (?, CAST(? AS BLOB))', name, String(value));
  }

  noted(name: string): number | null {
    const text = this.value<string>('SELECT CAST(value AS TEXT) FROM meta WHERE name = ?', name);
    return text === undefined ? null : Number(text);
  }

  #statement(sql: string): Database.Statement {
    let statement = this.#statements.get(sql);
    if (statement === undefined) this.#statements.set(sql, (statement = this.db.prepare(sql)));
    return statement;
  }

  /** Runs `change` as one transaction that is on disk when this returns. Reads made before are stale afterwards. */
  write<T>(change: () => T): T {
    this.#epoch += 1;
    return this.#transaction(change);
  }

  /** Has something happen once the running transaction is on disk; if it fails, never. */
  afterCommit(act: () => void): void {
    this.#afterCommit.push(act);
  }

  /** As `write`, for counters that are told again: no fsync, so a power cut may lose the last ones, and no staleness. */
  writeCounters(change: () => void): void {
    this.db.pragma('synchronous = NORMAL');
    try {
      this.#transaction(change);
    } finally {
      this.db.pragma('synchronous = FULL');
    }
  }

  /**
   * A number that changes whenever anything may have changed, by this process or another. To look takes some 5 µs of system
   * calls, so a server does it once for all requests that a turn of the event loop reads: whoever was told of a change by
   * another process can only send a request that a later turn reads.
   */
  epoch(): number {
    if (this.#looked) return this.#epoch;
    if (this.#serves) {
      this.#looked = true;
      setImmediate(() => (this.#looked = false));
    }
    const version = this.value<number>('PRAGMA data_version') ?? -1;
    if (version !== this.#seenDataVersion) {
      this.#seenDataVersion = version;
      this.#epoch += 1;
    }
    return this.#epoch;
  }

  /** Copies the database as it is at one moment into a new file. */
  async backup(file: string): Promise<void> {
    await this.db.backup(file, { progress: () => ALL_PAGES });
  }

  close(): void {
    this.db.close();
  }

  #transaction<T>(change: () => T): T {
    const waiting = this.#afterCommit.length;
    let result: T;
    try {
      result = this.db.transaction(change).immediate();
    } catch (error) {
      this.#afterCommit.length = waiting;
      throw storageError(error);
    }
    if (!this.db.inTransaction) for (const act of this.#afterCommit.splice(0)) act();
    return result;
  }
}

/** What an operator can do something about as an AppError; all else stays the bug it is. */
export function storageError(error: unknown): unknown {
  if (!(error instanceof Database.SqliteError)) return error;
  if (/^SQLITE_(FULL|IOERR|READONLY|CANTOPEN)/.test(error.code)) {
    return new AppError('storage_unavailable', `the control database cannot be written (${error.code})`, {
      hints: ['look at the free space and the permissions of the data folder'],
    });
  }
  if (/^SQLITE_(BUSY|LOCKED)/.test(error.code)) {
    return new AppError('storage_unavailable', 'the control database is held by another process', {
      hints: ['try again in a moment'],
    });
  }
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(error.code)) {
    return new AppError('storage_unavailable', 'the control database is damaged', {
      hints: ['run `wl admin check`, and restore control.db from a backup'],
    });
  }
  return error;
}
