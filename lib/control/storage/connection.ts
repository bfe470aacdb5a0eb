import { AsyncLocalStorage } from 'node:async_hooks';
import {
  Kysely,
  type CompiledQuery,
  type RawBuilder,
  type SelectQueryBuilder,
  type SqlBool,
  sql,
  type Compilable,
} from 'kysely';
import type { Change, Engine, Queries } from './engine.ts';
import type { ControlTables } from './tables.ts';

/** Entries that one answer lists at most; the next page has more. */
export const MAX_PAGE = 1_000;

/**
 * A condition: the column has this text somewhere, in upper or lower case. The database makes both sides lower, by the rules of the
 * column, which the empty part of it brings along: SQLite knows the case of A to Z alone, and so does PostgreSQL for collation "C".
 */
export function hasText(column: string, text: string): RawBuilder<SqlBool> {
  const pattern = `%${text.replaceAll(/[!%_]/g, '!$&')}%`;
  const own = sql.ref(column);
  return sql<SqlBool>`lower(${own}) LIKE lower(substr(${own}, 1, 0) || CAST(${pattern} AS text)) ESCAPE '!'`;
}

interface Transaction {
  readonly db: Queries;
  readonly afterCommit: (() => void)[];
  ended: boolean;
}

/** This process's access to the control database, and the clock of its records. */
export class ControlConnection {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly #engine: Engine;
  readonly #root: Queries;
  /** Whose transaction a query belongs to. */
  readonly #own = new AsyncLocalStorage<Transaction>();

  constructor(engine: Engine, now: () => number = Date.now) {
    this.now = now;
    this.#engine = engine;
    this.#root = new Kysely<ControlTables>({ dialect: engine.dialect });
  }

  /** Call once, before anything else. Throws AppError for the tables of a newer release. */
  prepare(): Promise<void> {
    return this.#engine.prepare(this.#root, this.now);
  }

  /** For queries: inside a transaction they belong to it, others wait until it has ended or do not see it. */
  get db(): Queries {
    return this.#inside?.db ?? this.#root;
  }

  /** The rows of a compiled query, which belongs to a transaction as `db` says. */
  run<R>(query: CompiledQuery<R>): Promise<readonly R[]> {
    return this.#engine.run(this.db, query);
  }

  /** For queries: the database's own clock, ms since the epoch, for what nodes with different clocks share. */
  get time(): RawBuilder<number> {
    return this.#engine.time;
  }

  /** Writes a named number, inside a transaction of the caller. */
  async note(name: string, value: number): Promise<void> {
    const row = { name, value: Buffer.from(String(value)) };
    const insert = this.db.insertInto('meta').values(row);
    await insert.onConflict((known) => known.column('name').doUpdateSet({ value: row.value })).execute();
  }

  async noted(name: string): Promise<number | null> {
    const row = await this.db.selectFrom('meta').select('value').where('name', '=', name).executeTakeFirst();
    return row === undefined ? null : Number(row.value.toString());
  }

  /**
   * Runs `change` as one transaction that is on disk when this resolves; inside another one, as a part of that. Changes take
   * turns, so what `change` has checked still holds when it acts. Invalidates earlier reads.
   */
  write<T>(change: () => Promise<T>): Promise<T> {
    return this.#inside === undefined ? this.#transaction('change', change) : change();
  }

  /** Calls it once the running transaction is on disk; never if that fails. */
  afterCommit(act: () => void): void {
    this.#inside?.afterCommit.push(act);
  }

  /** Like `write`, for counters that come again: no fsync, so a power cut may lose the last ones; reads stay valid. */
  async writeCounters(change: () => Promise<void>): Promise<void> {
    if (this.#inside !== undefined) throw new Error('counters are written before or after a transaction, not in it');
    await this.#transaction('counters', change);
  }

  /** A number that is another one whenever anything but counters may have changed, in this process or another. */
  epoch(): number {
    return this.#engine.epoch();
  }

  answers(): boolean {
    return this.#engine.answers();
  }

  /** Copies the database as it is at one moment into a new file. */
  async backup(file: string): Promise<void> {
    await this.#root.connection().execute((db) => this.#engine.backup(db, file));
  }

  /** Waits for a running transaction, unless that takes too long. */
  async close(): Promise<void> {
    let end = (): void => undefined;
    try {
      end = await this.#engine.turn('change');
    } finally {
      await this.#root.destroy();
      await this.#engine.close();
      end();
    }
  }

  get #inside(): Transaction | undefined {
    const own = this.#own.getStore();
    return own === undefined || own.ended ? undefined : own;
  }

  async #transaction<T>(kind: Change, change: () => Promise<T>): Promise<T> {
    const end = await this.#engine.turn(kind);
    const afterCommit: (() => void)[] = [];
    try {
      const work = (db: Queries): Promise<T> => this.#inTransaction({ db, afterCommit, ended: false }, kind, change);
      const result = await this.#root.connection().execute(work);
      for (const act of afterCommit) act();
      return result;
    } finally {
      end();
    }
  }

  async #inTransaction<T>(own: Transaction, kind: Change, change: () => Promise<T>): Promise<T> {
    try {
      await this.#engine.begin(own.db, kind);
      const result = await this.#own.run(own, change);
      own.ended = true;
      await this.#engine.commit(own.db, kind);
      return result;
    } catch (error) {
      own.ended = true;
      await this.#engine.rollback(own.db, kind);
      throw error;
    }
  }
}

/** How many rows a selection has. */
export async function countOf<Table extends keyof ControlTables>(
  rows: SelectQueryBuilder<ControlTables, Table, object>,
): Promise<number> {
  const counted = rows.select(({ fn }) => fn.countAll<number>().as('count'));
  const { count } = await counted.executeTakeFirstOrThrow();
  return count;
}

/** Stands for a value in a query that is compiled once: each run gives the values by name. */
export const given = <Value>(name: string): RawBuilder<Value> => sql<Value>`${name}`;

/**
 * The same for the `id` in a query with joins: SQLite prepares such a statement anew for every other value, in case that allows a
 * better plan, unless the value is inside an expression. 9 µs instead of 46.
 */
export const THE_ID: RawBuilder<string> = sql<string>`cast(${'id'} as text)`;

/**
 * A query that is built and compiled with its first use: both take longer than SQLite takes to answer, and after a start thousands
 * of keys are looked up, and usage of thousands of projects is written a second.
 */
export class CompiledOnce<Row> {
  readonly #connection: ControlConnection;
  readonly #build: (db: Queries) => Compilable<Row>;
  #template: CompiledQuery<Row> | null = null;

  /** @param build All of its parameters are `given`; constants are `sql.lit`. */
  constructor(connection: ControlConnection, build: (db: Queries) => Compilable<Row>) {
    this.#connection = connection;
    this.#build = build;
  }

  run(values: Readonly<Record<string, unknown>>): Promise<readonly Row[]> {
    const template = (this.#template ??= this.#build(this.#connection.db).compile());
    const parameters = template.parameters.map((name) => values[String(name)]);
    return this.#connection.run<Row>({ ...template, parameters });
  }

  /** The first row. */
  async first(values: Readonly<Record<string, unknown>>): Promise<Row | undefined> {
    return (await this.run(values))[0];
  }
}
