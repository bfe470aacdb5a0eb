/** Statements that write usage. */
import { type RawBuilder, sql } from 'kysely';
import type { UsageTotals } from '../../base/usage-totals.ts';
import { given } from '../storage/connection.ts';
import type { Queries } from '../storage/engine.ts';

/** Queries of a project on a day, to be added to what is stored. */
export interface QueryCounts {
  readonly project: string;
  readonly date: string;
  count: number;
  ms: number;
}

type Name = Exclude<keyof UsageTotals, 'isMore' | 'onlyGrows'> | keyof QueryCounts;
const field = (name: Name): RawBuilder<string> => given(name);
const whole = (name: Name): RawBuilder<number> => sql<number>`cast(${name} as bigint)`;

export const COUNTER_COLUMNS = [
  ['events_ingested', 'eventsIngested'],
  ['events_stored', 'eventsStored'],
  ['events_rejected', 'eventsRejected'],
  ['events_duplicate', 'eventsDuplicate'],
  ['events_dropped', 'eventsDropped'],
  ['times_replaced', 'timesReplaced'],
  ['fields_ignored', 'fieldsIgnored'],
  ['values_trimmed', 'valuesTrimmed'],
  ['ids_ignored', 'idsIgnored'],
] as const;

const COLUMNS = COUNTER_COLUMNS.map(([column]) => column);

/**
 * Replaces what was counted of a project's day by a report. A deleted project holds no bytes, whatever a late writer reports. A
 * project that never existed gets no row.
 */
export const settingTotals = (db: Queries) => totalsBy(db, (column) => sql.ref(`excluded.${column}`));

/** The same, where a counter that is larger already stays. */
export const raisingTotals = (db: Queries) =>
  totalsBy(db, (column) => {
    const [known, told] = [sql.ref(`usage.${column}`), sql.ref(`excluded.${column}`)];
    return sql`case when ${known} > ${told} then ${known} else ${told} end`;
  });

function totalsBy(db: Queries, counterOf: (column: string) => RawBuilder<number>) {
  const bytes = sql<number>`case when deleted = 1 then 0 else ${whole('bytesStored')} end`;
  return db
    .insertInto('usage')
    .columns(['project_id', 'date', ...COLUMNS, 'bytes_stored'])
    .expression(countersOf(db).select(bytes.as('bytes_stored')))
    .onConflict((day) =>
      day.columns(['project_id', 'date']).doUpdateSet((row) => ({
        ...Object.fromEntries(COLUMNS.map((column) => [column, counterOf(column)])),
        bytes_stored: row.ref('excluded.bytes_stored'),
      })),
    );
}

/** Adds a report to what was counted. */
export function addingTotals(db: Queries) {
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
    );
}

const countersOf = (db: Queries) =>
  db
    .selectFrom('all_projects')
    .select(['id', field('date').as('date')])
    .select(COUNTER_COLUMNS.map(([column, name]) => whole(name).as(column)))
    .where('id', '=', field('project'));

/** Adds `QueryCounts` to a day. */
export function addingQueries(db: Queries) {
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
    );
}
