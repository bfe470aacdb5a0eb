/** The one place that speaks with ClickHouse: statements with bound values in, rows out, its errors as those of the service. */
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import {
  ClickHouseLogLevel,
  createClient,
  drainStream,
  type BaseQueryParams,
  type ClickHouseSettings,
} from '@clickhouse/client';
import { type ClickHouseLocation, isRecord, readJson } from '../../../lib/seam.ts';
import { everywhere, quoted, type Table, localTable } from './schema.ts';
import { serverError } from './server-error.ts';

/** SQL with `{name:Type}` where values go, and the values. */
export interface Statement {
  readonly sql: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

export type Access = ClickHouseLocation;

export interface RunOptions {
  /** Known to ClickHouse too, so that the statement can be killed. */
  readonly queryId?: string;
  readonly signal?: AbortSignal;
  /** How long ClickHouse may take, milliseconds. */
  readonly time?: number;
  /** How many bytes ClickHouse may hold for the statement, on each server. */
  readonly memory?: number;
  readonly settings?: ClickHouseSettings;
}

/** The answer of a statement. `elapsed`: ClickHouse's own time, seconds; `rowsRead` and `bytesRead`: what it went through. */
export interface Rows {
  readonly rows: readonly (readonly unknown[])[];
  readonly elapsed: number;
  readonly rowsRead: number;
  readonly bytesRead: number;
}

/** Connections to one server. */
const CONNECTIONS = 32;
/** Each statement has a limit of its own. Milliseconds. */
const NO_LIMIT = 2 ** 31 - 1;

/** How long statements may take to end that others wait for, milliseconds. */
const KILL_TIME = 10_000;

/** Numbers as JavaScript has them, times without a zone. */
const ALWAYS: ClickHouseSettings = {
  log_queries: 0, // the log would keep ids that are erased
  output_format_json_quote_64bit_integers: 0,
  output_format_json_quote_denormals: 0,
  date_time_output_format: 'iso',
  precise_float_parsing: 1, // else some numbers are read as one beside the nearest
};

/**
 * Most replicas have what was acknowledged, and all statements go to the same ones first, whichever server was asked, so that they
 * see it. One that lags behind, since it was away, is not asked.
 */
const REPLICATED: ClickHouseSettings = {
  insert_quorum: 'auto',
  distributed_foreground_insert: 1,
  load_balancing: 'in_order',
  prefer_localhost_replica: 0,
  max_replica_delay_for_distributed_queries: '1', // seconds
  fallback_to_stale_replicas_for_distributed_queries: 0,
};

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  if (isRecord(value)) return value;
  throw new Error('ClickHouse answered something else than rows');
}

function arrayOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new Error('ClickHouse answered something else than rows');
}

type InsertTarget = Pick<Table, 'name' | 'columns' | 'sent'>;

export class ClickHouse {
  readonly #client: ReturnType<typeof createClient>;
  readonly cluster: string | null;
  readonly database: string;

  /** Connects with the first statement, so a server that is away is found out then. */
  constructor({ url, user, password, database, cluster }: Access) {
    this.cluster = cluster;
    this.database = database;
    this.#client = createClient({
      ...{ url, username: user, password, database, application: 'windlass' },
      ...{ max_open_connections: CONNECTIONS, request_timeout: NO_LIMIT, use_multipart_params_auto: true },
      clickhouse_settings: cluster === null ? ALWAYS : { ...ALWAYS, ...REPLICATED },
      log: { level: ClickHouseLogLevel.OFF }, // it would write statements with their values
    });
  }

  /** The rows of a SELECT, in memory: limit them. Rejects with AppError for what a user or operator can act on. */
  async query({ sql, params }: Statement, options: RunOptions = {}): Promise<Rows> {
    return this.#guarded(options, async (given) => {
      const answer = await this.#client.query({
        ...given,
        query: sql,
        query_params: { ...params },
        format: 'JSONCompact',
      });
      const { data, statistics } = recordOf(readJson(await answer.text()));
      const { elapsed = 0, rows_read: rowsRead = 0, bytes_read: bytesRead = 0 } = recordOf(statistics ?? {});
      return { rows: arrayOf(data).map(arrayOf), elapsed: Number(elapsed), rowsRead: Number(rowsRead), bytesRead: Number(bytesRead) }; // prettier-ignore
    });
  }

  /** The first value of a SELECT; undefined if it has no row. Rejects as `query` does. */
  async value(statement: Statement, options: RunOptions = {}): Promise<unknown> {
    return (await this.query(statement, options)).rows[0]?.[0];
  }

  /** The rows of a SELECT, as they are read; ends the statement when the reader stops. */
  async *stream({ sql, params }: Statement): AsyncGenerator<readonly unknown[]> {
    // For rows that are read as fast as somebody takes them.
    const answer = await this.#guarded({ time: 24 * 3_600_000 }, (given) =>
      this.#client.query({ ...given, query: sql, query_params: { ...params }, format: 'JSONCompactEachRow' }),
    );
    try {
      for await (const rows of answer.stream()) for (const row of rows) yield arrayOf(readJson(row.text));
    } finally {
      answer.close();
    }
  }

  /** The answer of a statement that takes no format, as text. */
  async ask(sql: string): Promise<string> {
    return this.#guarded({}, async (given) => text((await this.#client.exec({ ...given, query: sql })).stream));
  }

  /** Runs a statement without an answer. */
  async run({ sql, params }: Statement, options: RunOptions = {}): Promise<void> {
    await this.#guarded(options, (given) =>
      this.#client.command({ ...given, query: sql, query_params: { ...params } }),
    );
  }

  /**
   * Inserts rows, each an array as JSON on a line of its own. Resolves when ClickHouse has stored them. After `beginsBy`, by its own
   * clock in milliseconds, it refuses to begin.
   */
  async insert(
    table: InsertTarget,
    rows: Uint8Array,
    { beginsBy = null, ...options }: RunOptions & { readonly beginsBy?: number | null } = {},
  ): Promise<void> {
    const columns = insertedColumns(table)
      .map(([column]) => quoted(column))
      .join(', ');
    const source =
      beginsBy === null ? '' : ` SELECT ${columns} FROM input('${structureOf(table)}') WHERE ${isInTime(beginsBy)}`;
    await this.#guarded(options, async (given) => {
      const { stream } = await this.#client.exec({
        ...given,
        query: `INSERT INTO ${table.name} (${columns})${source} FORMAT JSONCompactEachRow`,
        values: Readable.from([rows], { objectMode: false }),
      });
      await drainStream(stream);
    });
  }

  /** Ends a running statement; nothing happens if it has ended. `SYNC`: resolves when it has. */
  async kill(queryId: string, how: 'SYNC' | 'ASYNC' = 'ASYNC'): Promise<void> {
    await this.run(
      { sql: `KILL QUERY${everywhere(this)} WHERE query_id = {id:String} ${how}`, params: { id: queryId } },
      { time: KILL_TIME },
    );
  }

  /** Ends all running statements whose id begins so, and what they run on other servers; resolves when they have ended. */
  async killAll(prefix: string): Promise<void> {
    const where = `startsWith(initial_query_id, {prefix:String})`;
    await this.run(
      { sql: `KILL QUERY${everywhere(this)} WHERE ${where} SYNC`, params: { prefix } },
      { time: KILL_TIME },
    );
  }

  async close(): Promise<void> {
    await this.#client.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #guarded<T>(
    { queryId, signal, time = 60_000, memory, settings }: RunOptions, // for statements without a time of their own
    run: (given: BaseQueryParams) => Promise<T>,
  ): Promise<T> {
    // How long an answer may fail to come beyond the time that ClickHouse was given.
    const late = AbortSignal.timeout(Math.ceil(time) + 5_000);
    const limits: ClickHouseSettings = {
      max_execution_time: time / 1_000,
      ...(memory === undefined ? {} : { max_memory_usage: String(Math.floor(memory)) }),
    };
    try {
      return await run({
        clickhouse_settings: { ...limits, ...settings },
        abort_signal: signal === undefined ? late : AbortSignal.any([signal, late]),
        ...(queryId === undefined ? {} : { query_id: queryId }),
      });
    } catch (error) {
      signal?.throwIfAborted();
      throw serverError(error);
    }
  }
}

function insertedColumns({ columns, sent = [] }: InsertTarget): readonly (readonly [name: string, type: string])[] {
  return [...columns, ...sent];
}

/** Their names and types, as `input` takes them between quotes. */
function structureOf(table: InsertTarget): string {
  const types = insertedColumns(table).map(
    ([column, type]) => `${quoted(column)} ${type.replace(/ CODEC\(.*\)$/, '')}`,
  );
  return types.join(', ').replaceAll('\\', '\\\\').replaceAll("'", "\\'");
}

/** A condition of all rows: the same for each, as a statement has one time. After the deadline the statement fails. */
export const isInTime = (deadline: number): string =>
  `throwIf(toUnixTimestamp64Milli(now64(3)) > ${Math.floor(deadline)}, 'too late') = 0`;

/**
 * Removes rows of a project. `which` has no text of a tenant, since ClickHouse keeps the text of mutations. Resolves when every
 * server has rewritten the parts that had any.
 */
export async function removeRows(clickHouse: ClickHouse, table: string, project: string, which: string): Promise<void> {
  await clickHouse.run(
    {
      sql: `ALTER TABLE ${localTable(table, clickHouse.cluster)} DELETE WHERE project = {project:String} AND (${which})`,
      params: { project },
    },
    { time: 3_600_000, settings: { mutations_sync: '2' } }, // a mutation rewrites every part that has such rows
  );
}
