/** Writes counters of a day: of thousands of projects a second, so each query is compiled once. */
import { sql, type CompiledQuery, type RawBuilder } from 'kysely';
import type { Soon } from '../../base/soon.ts';
import type { UsageTotals } from '../../base/usage-totals.ts';
import type { ControlConnection } from '../storage/connection.ts';
import type { Queries as Database } from '../storage/engine.ts';

/** Queries of a project on a day, to be added to what is stored. */
export interface QueryCounts {
  readonly project: string;
  readonly date: string;
  count: number;
  ms: number;
}

export class UsageWrites {
  readonly #connection: ControlConnection;
  #totals: CompiledQuery | null = null;
  #more: CompiledQuery | null = null;
  #queries: CompiledQuery | null = null;

  constructor(connection: ControlConnection) {
    this.#connection = connection;
  }

  /** Replaces what was counted of a project's day, or adds to it. Inside a transaction of the caller. */
  setTotals(totals: UsageTotals): Soon<unknown> {
    const { db } = this.#connection;
    const query = totals.isMore === true ? (this.#more ??= addingTotals(db)) : (this.#totals ??= settingTotals(db));
    return this.#run(query, { ...totals });
  }

  /** Adds to a day. Inside a transaction of the caller. */
  addQueries(counts: QueryCounts): Soon<unknown> {
    return this.#run((this.#queries ??= addingQueries(this.#connection.db)), { ...counts });
  }

  #run(template: CompiledQuery, row: Readonly<Record<string, unknown>>): Soon<unknown> {
    const parameters = template.parameters.map((name) => row[String(name)]);
    return this.#connection.run({ ...template, parameters });
  }
}

/** The parameters are the names of the fields that take their places. */
type Name = Exclude<keyof UsageTotals, 'isMore'> | keyof QueryCounts;
const field = (name: Name): RawBuilder<string> => sql<string>`${name}`;
const whole = (name: Name): RawBuilder<number> => sql<number>`cast(${name} as bigint)`;

const COUNTERS = [
  ['events_ingested', 'eventsIngested'],
  ['events_stored', 'eventsStored'],
  ['events_rejected', 'eventsRejected'],
  ['events_duplicate', 'eventsDuplicate'],
  ['events_dropped', 'eventsDropped'],
  ['values_trimmed', 'valuesTrimmed'],
  ['ids_ignored', 'idsIgnored'],
] as const;

const COLUMNS = COUNTERS.map(([column]) => column);

/** A deleted project holds no bytes, whatever a late writer reports. A project that never existed gets no row. */
function settingTotals(db: Database): CompiledQuery {
  const bytes = sql<number>`case when deleted = 1 then 0 else ${whole('bytesStored')} end`;
  return db
    .insertInto('usage')
    .columns(['project_id', 'date', ...COLUMNS, 'bytes_stored'])
    .expression(countersOf(db).select(bytes.as('bytes_stored')))
    .onConflict((day) =>
      day.columns(['project_id', 'date']).doUpdateSet((row) => ({
        ...Object.fromEntries(COLUMNS.map((column) => [column, row.ref(`excluded.${column}`)])),
        bytes_stored: row.ref('excluded.bytes_stored'),
      })),
    )
    .compile();
}

function addingTotals(db: Database): CompiledQuery {
  return db
    .insertInto('usage')
    .columns(['project_id', 'date', ...COLUMNS])
    .expression(countersOf(db))
    .onConflict((day) =>
      day
        .columns(['project_id', 'date'])
        .doUpdateSet((row) =>
          Object.fromEntries(
            COLUMNS.map((column) => [column, row(`usage.${column}`, '+', row.ref(`excluded.${column}`))]),
          ),
        ),
    )
    .compile();
}

const countersOf = (db: Database) =>
  db
    .selectFrom('all_projects')
    .select(['id', field('date').as('date')])
    .select(COUNTERS.map(([column, name]) => whole(name).as(column)))
    .where('id', '=', field('project'));

function addingQueries(db: Database): CompiledQuery {
  const ms = sql<number>`cast(${'ms'} as double precision)`;
  return db
    .insertInto('usage')
    .columns(['project_id', 'date', 'queries_run', 'query_ms'])
    .expression((from) =>
      from
        .selectFrom('all_projects')
        .select(['id', field('date').as('date'), whole('count').as('queries_run'), ms.as('query_ms')])
        .where('id', '=', field('project')),
    )
    .onConflict((day) =>
      day.columns(['project_id', 'date']).doUpdateSet((row) => ({
        queries_run: row('usage.queries_run', '+', row.ref('excluded.queries_run')),
        query_ms: row('usage.query_ms', '+', row.ref('excluded.query_ms')),
      })),
    )
    .compile();
}
