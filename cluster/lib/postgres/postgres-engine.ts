/** The control database in PostgreSQL, which several nodes share. */
import { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { type Client, type ClientConfig, type DatabaseError, Pool, types } from 'pg';
import {
  AppError,
  type Change,
  codeOf,
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Engine,
  type EngineOptions,
  MIGRATIONS,
  PostgresDialect,
  PostgresDriver,
  type PostgresLocation,
  type Queries,
  SCHEMA_VERSION,
  sql,
} from '../../../lib/seam.ts';
import { PostgresListener, READ_ONLY, TIME, timeBetween } from './postgres-listener.ts';

/** How long a request waits for a connection, and a statement for its result. Milliseconds. */
const CONNECT_MS = 5_000;
const STATEMENT_MS = 10_000;
/** A connection on which nothing comes for so long has lost its server, ms: statements end before, idle connections too. */
const SILENCE_MS = STATEMENT_MS + 2_000;
/** How long it is asked what became of a transaction whose end it did not confirm, and between two questions. Milliseconds. */
const OUTCOME_MS = 5_000;
const ASK_AGAIN_MS = 100;

/** Changes of all nodes take turns: the key of an advisory lock, with that of the schema. */
const TURN = 0x77696e64;

/** Numbers as JavaScript has them: counters and times stay far below 2^53. */
const NUMBERS = new Set<number>([types.builtins.INT8, types.builtins.NUMERIC]);

export class PostgresEngine implements Engine {
  readonly dialect: Dialect;
  readonly time = sql<number>`${sql.raw(TIME)}`;
  readonly #pool: Pool;
  readonly #listener: PostgresListener;
  readonly #channel: string;
  #turn: Promise<void> = Promise.resolve();
  #epoch = 0;
  /** The tables are being brought up to date, which takes as long as it takes. */
  #isPreparing = false;

  private constructor(location: PostgresLocation, { now = Date.now, onApart = () => undefined }: EngineOptions) {
    const config = clientConfig(location);
    this.#channel = `windlass ${location.schema}`;
    // Connections of a node, besides the one that listens.
    this.#pool = new Pool({ ...config, max: 10, connectionTimeoutMillis: CONNECT_MS });
    this.#pool.on('error', () => undefined); // an idle connection broke: the next query takes another
    this.#pool.on('connect', (client) => {
      client.on('error', () => undefined); // its query fails, and the pool drops it
      // Nothing may tell that a machine is gone: the system would ask it again for a quarter of an hour.
      const { connection } = client as Client;
      const { stream } = connection;
      if (stream instanceof Socket) stream.setTimeout(SILENCE_MS, () => this.#isPreparing || stream.destroy());
      // A connection in use would stay with a server that another has replaced.
      connection.on('errorMessage', ({ code }: DatabaseError) => code === READ_ONLY && stream.destroy());
    });
    let wereApart = false;
    this.#listener = new PostgresListener(config, this.#channel, {
      heard: () => (this.#epoch += 1),
      apart: (apart) => {
        if (apart > MOST_APART && !wereApart) onApart(apart);
        wereApart = apart > MOST_APART;
      },
      now,
    });
    const createDriver = (): TellingDriver => new TellingDriver({ pool: this.#pool });
    this.dialect = Object.assign(new PostgresDialect({ pool: this.#pool }), { createDriver });
  }

  /** Throws AppError if the database cannot be reached or used. */
  static async open(location: PostgresLocation, options: EngineOptions = {}): Promise<PostgresEngine> {
    const engine = new PostgresEngine(location, options);
    try {
      await engine.#listener.start();
    } catch (error) {
      await engine.close();
      throw postgresError(error);
    }
    return engine;
  }

  async prepare(db: Queries, now: () => number): Promise<void> {
    const asked = now();
    checkPostgres(await postgresFacts(db), [asked, now()]);
    this.#isPreparing = true;
    try {
      await db.connection().execute((own) => this.#migrate(own));
    } finally {
      this.#isPreparing = false;
    }
  }

  /** Without a limit of time: of many projects a step takes minutes, and so long another node that starts waits for its turn. */
  async #migrate(own: Queries): Promise<void> {
    await sql`SET statement_timeout = 0`.execute(own);
    await this.begin(own, 'change');
    try {
      await migratePostgres(own);
      await this.commit(own, 'change');
    } catch (error) {
      await this.rollback(own);
      throw error;
    }
    await sql`RESET statement_timeout`.execute(own);
  }

  /** This node's changes wait for each other here, so that they hold one connection while they wait for other nodes'. */
  async turn(change: Change): Promise<() => void> {
    if (change === 'counters') return () => undefined;
    const { promise, resolve } = Promise.withResolvers<void>();
    const before = this.#turn;
    this.#turn = promise;
    const late = new AbortController();
    const isLate = pause(STATEMENT_MS, true, { signal: late.signal }).catch(() => false);
    if (await Promise.race([before.then(() => false), isLate])) {
      void before.then(resolve); // whoever comes next still waits for those before
      throw away('changes before this one take too long');
    }
    late.abort();
    return resolve;
  }

  async begin(db: Queries, change: Change): Promise<void> {
    await sql`BEGIN`.execute(db);
    if (change === 'counters') await sql`SET LOCAL synchronous_commit = off`.execute(db);
    else await sql`SELECT pg_advisory_xact_lock(${TURN}::int, hashtext(${this.#channel}))`.execute(db);
  }

  /** A lost answer is no refusal: what PostgreSQL has stored is reported as stored. */
  async commit(db: Queries, change: Change): Promise<void> {
    const notice = change === 'change' ? sql`, pg_notify(${this.#channel}, '')` : sql``;
    const asked = sql<{ id: string | null }>`SELECT pg_current_xact_id_if_assigned()::text AS id ${notice}`;
    const id = (await asked.execute(db)).rows[0]?.id ?? null;
    try {
      await sql`COMMIT`.execute(db);
    } catch (error) {
      if (id === null || !(await this.#wasStored(id))) throw error;
    }
    if (change === 'change') this.#epoch += 1;
  }

  /** Where the connection is gone, PostgreSQL does so by itself: what failed before is what matters. */
  async rollback(db: Queries): Promise<void> {
    await sql`ROLLBACK`.execute(db).catch((error: unknown) => {
      if (!(error instanceof AppError)) throw error;
    });
  }

  /** Whether a transaction was stored. Throws AppError if PostgreSQL does not say so in time. */
  async #wasStored(id: string): Promise<boolean> {
    const late = new AbortController();
    const state = await Promise.race([this.#outcome(id, late.signal), pause(OUTCOME_MS, null, { ref: false })]);
    late.abort();
    if (state !== null) return state === 'committed';
    throw new AppError('storage_unavailable', 'the control database did not say whether it has stored this', {
      hints: ['look whether it was done before you send it again'],
    });
  }

  /** How a transaction ended; null: not known by `late`. */
  async #outcome(id: string, late: AbortSignal): Promise<string | null> {
    while (!late.aborted) {
      const asked = this.#pool.query<{ state: string | null }>('SELECT pg_xact_status($1::text::xid8) AS state', [id]);
      const state = await asked.then(({ rows }) => rows[0]?.state ?? null).catch(() => null); // it is asked again
      if (state === 'committed' || state === 'aborted') return state;
      await pause(ASK_AGAIN_MS);
    }
    return null;
  }

  async run<R>(db: Queries, query: CompiledQuery<R>): Promise<readonly R[]> {
    return (await db.executeQuery(query)).rows;
  }

  answers(): boolean {
    return !this.#listener.isLost;
  }

  /** While changes of others cannot be heard, nothing that was read is remembered. */
  epoch(): number {
    if (!this.#listener.hears) this.#epoch += 1;
    return this.#epoch;
  }

  async backup(): Promise<void> {
    throw new AppError('not_available', 'back up a control database in PostgreSQL with its own tools', {
      hints: ['use pg_dump, or the backups of your PostgreSQL provider'],
    });
  }

  async close(): Promise<void> {
    this.#listener.close();
    if (!this.#pool.ended) await this.#pool.end();
  }
}

/** Says what the operator can do about errors of any query. */
class TellingDriver extends PostgresDriver {
  readonly #told = new WeakSet<DatabaseConnection>();

  override async acquireConnection(
    ...options: Parameters<PostgresDriver['acquireConnection']>
  ): Promise<DatabaseConnection> {
    const connection = await super.acquireConnection(...options).catch((error: unknown) => {
      throw postgresError(error);
    });
    if (!this.#told.has(connection)) {
      this.#told.add(connection);
      const execute = connection.executeQuery.bind(connection);
      connection.executeQuery = <R>(...query: Parameters<typeof execute>) =>
        execute<R>(...query).catch((error: unknown) => {
          throw postgresError(error);
        });
    }
    return connection;
  }

  override async destroy(): Promise<void> {} // the engine ends the connections
}

function clientConfig({ schema, tls, ...location }: PostgresLocation): ClientConfig {
  return {
    ...location,
    application_name: `windlass ${schema}`,
    options: [
      ...[`-c search_path=${schema}`, '-c timezone=UTC', `-c statement_timeout=${STATEMENT_MS}`],
      // Of a node that is gone without a word, it would keep the locks for hours, and no other could change anything.
      `-c idle_in_transaction_session_timeout=${STATEMENT_MS}`,
    ].join(' '),
    ssl: tls,
    keepAlive: true,
    types: {
      getTypeParser: (oid: number, format?: 'text' | 'binary'): unknown =>
        NUMBERS.has(oid) ? Number : types.getTypeParser(oid, format === 'binary' ? 'binary' : 'text'),
    },
  };
}

/** Classes and codes of PostgreSQL that pass, or that its operator can end: no connection, others first, no resources, shutting down. */
const AWAY = /^(?:08|40|53|57P|58)|^(?:25P03|55P03|57014)$/;
/** Also a server without the tables: an empty one that took the place of another; and one with troubles of its own (XX). */
const REFUSED = /^(?:28|XX|3D000|42501|3F000|42P01)/;
/** A text has the character U+0000, which PostgreSQL keeps in none. */
const NULL_CHARACTER = '22021';
const NETWORK = /^(?:ECONN|ENOTFOUND|EAI_|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EPIPE|ENOENT)/;

/** An AppError for what an operator can fix, or who sent a text; everything else stays the bug it is. */
function postgresError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof AppError) return error;
  const code = codeOf(error);
  if (REFUSED.test(code)) {
    return new AppError('storage_unavailable', `the control database refuses (${code})`, {
      hints: [
        'check user, password, database and schema in WINDLASS_CONTROL, what that user may do, the tables, and the log of PostgreSQL',
      ],
      cause: `PostgreSQL: ${error.message}`, // it names users, tables and addresses
    });
  }
  if (code === READ_ONLY) {
    return new AppError('storage_unavailable', `the control database takes no changes (${code})`, {
      hints: [
        'try again in a moment; the operator should check that WINDLASS_CONTROL leads to the primary server, and that it is not read-only',
      ],
    });
  }
  if (code === NULL_CHARACTER) {
    return new AppError('bad_request', 'a text or id holds the character U+0000, which cannot be stored', {
      hints: ['leave the character out'],
    });
  }
  const lost = /timeout|terminated|not queryable|closed|ended|invalid response/i.test(error.message) && code === '';
  if (!AWAY.test(code) && !NETWORK.test(code) && !lost) return error;
  return away(code || error.message);
}

function away(why: string): AppError {
  return new AppError('storage_unavailable', `the control database does not answer (${why})`, {
    hints: [
      'try again in a moment; the operator should check that PostgreSQL is running and that WINDLASS_CONTROL is right',
    ],
  });
}

/**
 * Where the version of the schema is noted: the same steps as in a file (migrations.ts), in PostgreSQL's names of types. So there is
 * one history, and both have the same version.
 */
const VERSION = 'schema_version';

/** Makes what is missing. Inside a transaction in which nobody else does. Throws AppError for the schema of a newer release. */
async function migratePostgres(db: Queries): Promise<void> {
  const version = await versionOf(db);
  if (version > SCHEMA_VERSION) {
    throw new AppError('storage_unavailable', 'the control database was written by a newer release of Windlass', {
      hints: ['start that release on every node, or name another database'],
    });
  }
  if (version === SCHEMA_VERSION) return;
  for (const step of MIGRATIONS.slice(version)) await sql.raw(inPostgres(step)).execute(db);
  const value = Buffer.from(String(SCHEMA_VERSION));
  const insert = db.insertInto('meta').values({ name: VERSION, value });
  await insert.onConflict((row) => row.column('name').doUpdateSet({ value })).execute();
}

async function versionOf(db: Queries): Promise<number> {
  const { rows } = await sql<{ made: boolean }>`SELECT to_regclass('meta') IS NOT NULL AS made`.execute(db);
  if (rows[0]?.made !== true) return 0;
  const { value } = await db.selectFrom('meta').select('value').where('name', '=', VERSION).executeTakeFirstOrThrow();
  return Number(value.toString());
}

const TRIGGER =
  /CREATE TRIGGER (?:IF NOT EXISTS )?(\w+) ((?:BEFORE|AFTER) (?:UPDATE|DELETE) ON \w+)\s+BEGIN\s+([\s\S]*?)\s*END;/g;

/** Rows are numbered as they come, as SQLite does by itself; texts compare by bytes. */
function inPostgres(step: string): string {
  return step
    .replaceAll(TRIGGER, (_, name: string, when: string, body: string) => {
      const act = body.replace(/SELECT RAISE\(ABORT, ('[^']*')\)/, 'RAISE EXCEPTION $1');
      return `
        CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${act} RETURN OLD; END $$;
        CREATE TRIGGER ${name} ${when} FOR EACH ROW EXECUTE FUNCTION ${name}();`;
    })
    .replaceAll(/\) STRICT, WITHOUT ROWID;/g, ');')
    .replaceAll(/\) STRICT;/g, ', rowid bigint GENERATED ALWAYS AS IDENTITY);')
    .replaceAll(/INTEGER PRIMARY KEY(?: AUTOINCREMENT)?/g, 'bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY')
    .replaceAll(/\bINTEGER\b/g, 'bigint')
    .replaceAll(/\bREAL\b/g, 'double precision')
    .replaceAll(/\bBLOB\b/g, 'bytea')
    .replaceAll(/\bTEXT\b/g, 'text COLLATE "C"');
}

/** As PostgreSQL writes it: 150004 is 15.4. */
const OLDEST = 150_000;
/** Sessions, links and limits end by nodes' clocks. Milliseconds. */
const MOST_APART = 60_000;

export interface PostgresFacts {
  readonly version: number;
  readonly encoding: string;
  /** By its clock, ms since the epoch. */
  readonly time: number;
  /** null: the schema that is named does not exist. */
  readonly schema: string | null;
}

async function postgresFacts(db: Queries): Promise<PostgresFacts> {
  const { rows } = await sql<PostgresFacts>`SELECT current_setting('server_version_num')::int AS version,
    current_setting('server_encoding') AS encoding, ${sql.raw(TIME)} AS time,
    current_schema() AS schema`.execute(db);
  return rows[0]!;
}

/** Throws AppError that says what to do. `asked` and `answered`: when, by this machine's clock. */
export function checkPostgres(
  facts: PostgresFacts,
  [asked, answered]: readonly [asked: number, answered: number],
): void {
  const { version, encoding, time, schema } = facts;
  if (version < OLDEST)
    throw unusable(`it is PostgreSQL ${Math.floor(version / 10_000)}`, 'use PostgreSQL 15 or newer');
  if (encoding !== 'UTF8')
    throw unusable(
      `the encoding of the database is ${encoding}`,
      "make another with CREATE DATABASE name ENCODING 'UTF8' TEMPLATE template0, and name that in WINDLASS_CONTROL",
    );
  if (schema === null)
    throw unusable(
      'the schema does not exist',
      'make it with CREATE SCHEMA, or name another in WINDLASS_CONTROL (?schema=name)',
    );
  const apart = timeBetween(time, [asked, answered]);
  if (apart > MOST_APART)
    throw unusable(
      `the clocks of this machine and of PostgreSQL are ${Math.round(apart / 1_000)} s apart`,
      'synchronize them with a time server',
    );
}

function unusable(why: string, what: string): AppError {
  return new AppError('storage_unavailable', `the control database cannot be used: ${why}`, { hints: [what] });
}
