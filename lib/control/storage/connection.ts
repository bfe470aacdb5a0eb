import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';
import { AppError } from '../../base/errors.ts';
import { makePrivate } from '../../base/files/private-files.ts';
import { migrate } from './migrations.ts';

/** How long a statement waits for another process's transaction, in ms: `wl admin` writes for a few ms at a time. */
const BUSY_TIMEOUT_MS = 5000;

/** Pages copied in one backup step: all, since a stepwise copy starts over whenever somebody writes. */
const ALL_PAGES = 0x7fffffff;

/** Replaces `?` in a statement; or a record of its named values. */
type Values = readonly (string | number | Buffer | null | object)[];

export interface ConnectionOptions {
  /** For a server: requests of one turn of the event loop share one check for other processes' changes. */
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
  /** Whether the version was checked in this turn of the event loop. */
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

  /** The first row of a query; undefined: none. Statements are literals: they are prepared once and kept. */
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

  /** Changes rows; returns how many. */
  run(sql: string, ...values: Values): number {
    return this.#statement(sql).run(...values).changes;
  }

  /** Writes a named number, inside a transaction of the caller. */
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

  /** Runs `change` as one transaction that is on disk when this returns. Invalidates earlier reads. */
  write<T>(change: () => T): T {
    this.#epoch += 1;
    return this.#transaction(change);
  }

  /** Calls it once the running transaction is on disk; never if that fails. */
  afterCommit(act: () => void): void {
    this.#afterCommit.push(act);
  }

  /** Like `write`, for counters that come again: no fsync, so a power cut may lose the last ones; reads stay valid. */
  writeCounters(change: () => void): void {
    this.db.pragma('synchronous = NORMAL');
    try {
      this.#transaction(change);
    } finally {
      this.db.pragma('synchronous = FULL');
    }
  }

  /**
   * A number that changes whenever anything may have changed, in this process or another. Checking takes some 5 µs of system
   * calls, so a server does it once for all requests that a turn of the event loop reads: anybody who learned of another
   * process's change can only send a request that a later turn reads.
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

/** An AppError for what an operator can fix; everything else stays the bug it is. */
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
