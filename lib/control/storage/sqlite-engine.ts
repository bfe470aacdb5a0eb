/** The control database in a file of the data folder. */
import { existsSync, realpathSync } from 'node:fs';
import Database from 'better-sqlite3';
import {
  SqliteDialect,
  sql as raw,
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
} from 'kysely';
import { makePrivate } from '../../base/files/private-files.ts';
import type { Change, Engine, Queries } from './engine.ts';
import { migrate } from './migrations.ts';
import { storageError } from './sqlite-error.ts';
import { copyDatabase } from '../../base/files/copy-database.ts';

export class SqliteEngine implements Engine {
  /**
   * The running transactions of this process, by file: SQLite's own wait for another connection's would stop the thread that has
   * to finish it.
   */
  static readonly #running = new Map<string, Promise<void>>();
  readonly dialect: Dialect;
  readonly time = raw<number>`CAST(unixepoch('subsec') * 1000 AS INTEGER)`;
  readonly #db: Database.Database;
  readonly #file: string;
  readonly #serves: boolean;
  readonly #connection: FileConnection;
  readonly #version: Database.Statement<[], number>;
  /** Whose transaction runs. */
  #inTransaction: Queries | null = null;
  #seenVersion = -1;
  #epoch = 0;
  /** Whether the version was checked in this turn of the event loop. */
  #looked = false;

  /** Opens, creates and migrates the file. `serves`: requests of one turn of the event loop share one look at the file. */
  constructor(file: string, serves: boolean) {
    for (const part of [file, `${file}-wal`, `${file}-shm`]) if (part === file || existsSync(part)) makePrivate(part);
    this.#file = realpathSync(file);
    this.#serves = serves;
    // How long a statement waits for another process's transaction, in ms: `wl admin` writes for a few ms at a time.
    const db = (this.#db = new Database(file, { timeout: 5000 }));
    try {
      db.pragma('journal_mode = WAL');
      db.pragma('synchronous = FULL');
      db.pragma('foreign_keys = ON');
      db.pragma('secure_delete = ON');
      db.pragma('temp_store = MEMORY');
    } catch (error) {
      db.close();
      throw storageError(error);
    }
    const connection = (this.#connection = new FileConnection(db));
    this.#version = db.prepare<[], number>('PRAGMA data_version').pluck();
    const createDriver = (): Driver => driverOf(connection);
    this.dialect = Object.assign(new SqliteDialect({ database: db }), { createDriver });
  }

  async prepare(): Promise<void> {
    guarded(() => migrate(this.#db));
  }

  async turn(): Promise<() => void> {
    const running = SqliteEngine.#running;
    for (let other; (other = running.get(this.#file)) !== undefined;) await other;
    const { promise, resolve } = Promise.withResolvers<void>();
    running.set(this.#file, promise);
    return () => {
      running.delete(this.#file);
      resolve();
    };
  }

  async begin(db: Queries, change: Change): Promise<void> {
    if (change === 'counters') this.#exec('PRAGMA synchronous = NORMAL');
    else this.#epoch += 1;
    this.#exec('BEGIN IMMEDIATE');
    this.#inTransaction = db;
  }

  async commit(_db: Queries, change: Change): Promise<void> {
    this.#exec('COMMIT');
    this.#ended(change);
  }

  async rollback(_db: Queries, change: Change): Promise<void> {
    try {
      if (this.#db.inTransaction) this.#exec('ROLLBACK'); // a full disk has ended it already
    } finally {
      this.#ended(change);
    }
  }

  #ended(change: Change): void {
    this.#inTransaction = null;
    if (change === 'counters') this.#exec('PRAGMA synchronous = FULL');
    else this.#epoch += 1; // for what was read just before
  }

  /** Kysely has everybody else wait while a transaction runs; it takes some ten turns even if none does. */
  async run<R>(db: Queries, query: CompiledQuery<R>): Promise<readonly R[]> {
    const mustWait = this.#inTransaction !== null && this.#inTransaction !== db;
    return (mustWait ? await db.executeQuery(query) : this.#connection.run<R>(query)).rows;
  }

  /**
   * Looking takes some 5 µs of system calls, so a server does it once for all requests that a turn of the event loop reads:
   * anybody who learned of another process's change can only send a request that a later turn reads.
   */
  epoch(): number {
    if (this.#looked) return this.#epoch;
    if (this.#serves) {
      this.#looked = true;
      setImmediate(() => (this.#looked = false));
    }
    const version = guarded(() => this.#version.get()) ?? -1;
    if (version !== this.#seenVersion) {
      this.#seenVersion = version;
      this.#epoch += 1;
    }
    return this.#epoch;
  }

  answers(): boolean {
    return true; // it is in this process
  }

  async backup(_db: Queries, file: string): Promise<void> {
    await copyDatabase(this.#db, file);
  }

  async close(): Promise<void> {
    this.#db.close();
  }

  #exec(text: string): void {
    guarded(() => this.#db.exec(text));
  }
}

function guarded<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw storageError(error);
  }
}

/** Kysely's own prepares every statement anew. Transactions are begun and ended by the engine, which also closes the file. */
function driverOf(connection: FileConnection): Driver {
  const nothing = async (): Promise<void> => {};
  return {
    init: nothing,
    acquireConnection: async () => connection,
    releaseConnection: nothing,
    beginTransaction: async () => {
      throw new Error('use ControlConnection.write');
    },
    commitTransaction: nothing,
    rollbackTransaction: nothing,
    destroy: nothing,
  };
}

class FileConnection implements DatabaseConnection {
  readonly #db: Database.Database;
  readonly #statements = new Map<string, Database.Statement>();

  constructor(db: Database.Database) {
    this.#db = db;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return this.run(query);
  }

  run<R>({ sql, parameters }: CompiledQuery): QueryResult<R> {
    return guarded(() => {
      const statement = this.#statement(sql);
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Kysely's types say what a query gives
      if (statement.reader) return { rows: statement.all(...parameters) as R[] };
      return { rows: [], numAffectedRows: BigInt(statement.run(...parameters).changes) };
    });
  }

  // oxlint-disable-next-line require-yield -- nothing is streamed from this small database
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('not used');
  }

  #statement(sql: string): Database.Statement {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    // Prepared statements kept; all texts of this program are fewer.
    if (this.#statements.size >= 500) this.#statements.clear();
    const made = this.#db.prepare(sql);
    this.#statements.set(sql, made);
    return made;
  }
}
