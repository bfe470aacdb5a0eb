/**
 * The tables of a cluster, as data. Every identifier in a statement comes from here; values are bound.
 *
 * An id, an event type or an enriched column is never empty, so '' means missing there; `NULLABLE_FIELDS` may be empty, and are
 * NULL where missing.
 */
import { ENRICHED_FIELDS, type EnrichedField } from '../../../lib/seam.ts';
import { HOT_COLUMNS, HOT_SENT } from './hot/slots.ts';

/** Raised with every change of the tables, which comes with a migration. */
export const SCHEMA_VERSION = 7;

/** A value: when the tables came to the version that has the dates of changes to profiles, milliseconds since the epoch. */
export const DATED_SINCE_SQL = '(SELECT toUnixTimestamp64Milli(min(applied)) FROM schema_versions WHERE version >= 6)';

/** Enriched fields that may be empty texts: they are properties as they were sent. */
export const NULLABLE_FIELDS: ReadonlySet<EnrichedField> = new Set(['_url', '_title', '_referrer']);

/** Enriched fields with about as many values as persons or pages: a dictionary would not pay. */
const OF_MANY_VALUES: ReadonlySet<EnrichedField> = new Set(['_path', '_ip', '_ua']);

type Columns = readonly (readonly [name: string, type: string])[];

const VALUE_TYPE = "Enum8('string' = 0, 'number' = 1, 'boolean' = 2, 'object' = 3, 'array' = 4)";

const CORE = [
  // A dictionary, so that rows of a range are told from other projects' by a number.
  ['project', 'LowCardinality(String) CODEC(ZSTD(1))'],
  // The order of acknowledgement within the project, from 1; numbers may be missing.
  ['arrival', 'UInt64 CODEC(Delta(8), ZSTD(1))'],
  // When the request arrived, milliseconds since the epoch, as all times.
  ['received', 'Int64 CODEC(Delta(8), ZSTD(1))'],
  ['time', 'Int64 CODEC(Delta(8), ZSTD(1))'],
  ['event_type', 'LowCardinality(String)'],
  ['user_id', 'String CODEC(ZSTD(1))'],
  ['device_id', 'String CODEC(ZSTD(1))'],
  ['session_id', 'String CODEC(ZSTD(1))'],
  ['insert_id', 'String CODEC(ZSTD(1))'],
] as const satisfies Columns;

/** Made by ClickHouse of what is inserted. */
const OF_SENDERS = [
  // A number for the user, or else the device: sipHash64 of its id, 0 of neither.
  ['sender', "UInt64 MATERIALIZED if(user_id = '' AND device_id = '', 0, sipHash64(if(user_id = '', device_id, user_id))) CODEC(ZSTD(1))"],
  // Whether it is a device.
  ['anonymous', "UInt8 MATERIALIZED user_id = '' CODEC(ZSTD(1))"],
] as const satisfies Columns; // prettier-ignore

/**
 * Properties of an event (`event_`), and what it sent of its user (`user_`): the text of each value, NULL of null; the number that
 * it is or spells; the types of those that are no strings. So a question reads one map, and an absent key is NULL.
 */
const PROPERTIES = [
  ['event_text', 'Map(LowCardinality(String), Nullable(String)) CODEC(ZSTD(1))'],
  ['event_number', 'Map(LowCardinality(String), Nullable(Float64)) CODEC(ZSTD(1))'],
  ['event_types', `Map(LowCardinality(String), ${VALUE_TYPE}) CODEC(ZSTD(1))`],
  ['user_text', 'Map(LowCardinality(String), Nullable(String)) CODEC(ZSTD(1))'],
  ['user_number', 'Map(LowCardinality(String), Nullable(Float64)) CODEC(ZSTD(1))'],
  ['user_types', `Map(LowCardinality(String), ${VALUE_TYPE}) CODEC(ZSTD(1))`],
] as const satisfies Columns;

/** Who a device is, and what is known of a user. A row is a profile, or a device's binding or the undoing of one. */
const OF_IDENTITIES = [
  ['project', 'String CODEC(ZSTD(1))'],
  ['arrival', 'UInt64 CODEC(Delta(8), ZSTD(1))'],
  ['received', 'Int64 CODEC(Delta(8), ZSTD(1))'],
  // Whose profile; to whom the device is bound from then on, '' for nobody.
  ['user_id', 'String CODEC(ZSTD(1))'],
  // '': the row is a profile.
  ['device_id', 'String CODEC(ZSTD(1))'],
  // 1: the row undoes the device's last binding.
  ['undo', 'UInt8'],
  // The arrival of a binding, as each of them is kept; 0 for a profile, whose newest row replaces the others.
  ['binding', 'UInt64 CODEC(Delta(8), ZSTD(1))'],
  // The properties after the request, an object as compact JSON; '' for a binding.
  ['profile', 'String CODEC(ZSTD(3))'],
  // Of a profile: times known besides the events, from identifies and from events that were removed as too old.
  ['first_seen', 'Nullable(Int64)'],
  ['last_seen', 'Nullable(Int64)'],
  // When each property was last changed (lib/shards/ingest/enrich/change-dates.ts); '': since before these were kept.
  ['dates', 'String CODEC(ZSTD(3))'],
] as const satisfies Columns;

/** Which properties of events have columns of their own: kind `text`, `number`, or `closed`, which is no property. */
const OF_HOT_KEYS = [
  ['project', 'String CODEC(ZSTD(1))'],
  ['kind', 'LowCardinality(String)'],
  ['key', 'String CODEC(ZSTD(1))'],
  // The number of its column; NULL: such values are in maps only.
  ['slot', 'Nullable(UInt8)'],
] as const satisfies Columns;

/**
 * What came of a project on a day (UTC), by who counted. A row has all that its counter has had of the day, and replaces those
 * before: an insert whose answer was lost can be repeated. The sum over counters is the day's.
 */
const OF_USAGE = [
  ['project', 'String CODEC(ZSTD(1))'],
  ['date', 'Date'],
  ['counter', 'String CODEC(ZSTD(1))'],
  // Of the counter's rows for the day, from 1.
  ['version', 'UInt64'],
  ['ingested', 'UInt64'],
  ['stored', 'UInt64'],
  ['rejected', 'UInt64'],
  ['duplicate', 'UInt64'],
  ['dropped', 'UInt64'],
  ['trimmed', 'UInt64'],
  ['ids_ignored', 'UInt64'],
  ['times_replaced', 'UInt64'],
  ['fields_ignored', 'UInt64'],
] as const satisfies Columns;

const OF_VERSIONS = [
  ['version', 'UInt32'],
  ['applied', 'DateTime64(3) DEFAULT now64(3)'],
] as const satisfies Columns;

export type PropertyMap = (typeof PROPERTIES)[number][0];
export type EventColumn = (typeof CORE)[number][0] | PropertyMap | EnrichedField;
export type IdentityColumn = (typeof OF_IDENTITIES)[number][0];

export interface Table<Column extends string = string> {
  readonly name: string;
  /** In the order of the values of an inserted row. */
  readonly columns: readonly (readonly [name: Column, type: string])[];
  /** Columns that nobody inserts, and that `SELECT *` leaves out. */
  readonly made?: Columns;
  /** Inserted besides, after `columns`, for what ClickHouse makes of it; not stored. */
  readonly sent?: Columns;
  readonly engine: 'MergeTree' | 'ReplacingMergeTree';
  /** Of the engine. */
  readonly arguments: readonly Column[];
  readonly partitionBy?: string;
  readonly orderBy: readonly Column[];
  /** Indexes and projections. */
  readonly more?: readonly string[];
  readonly settings?: string;
  /** Which server of a cluster has a row. */
  readonly spreadBy: string;
}

export const PROJECTION_OF_TYPES =
  'types (SELECT project, event_type, count(), min(time), max(time), max(arrival) GROUP BY project, event_type)';

/** The projection that finds events by their ids. */
export const IDS = 'ids';

/** What a search for ids of the last days passes over where months have no `IDS` any more. */
export const INDEX_OF_ARRIVALS = 'received_range received TYPE minmax GRANULARITY 1';

/** What a search for ids of imports, of whatever age, passes over. */
export const INDEX_OF_IMPORTS = "imports _import_id != '' TYPE set(2) GRANULARITY 1";

export const EVENTS: Table<EventColumn> = {
  name: 'events',
  columns: [...CORE, ...ENRICHED_FIELDS.map((field) => [field, enrichedType(field)] as const), ...PROPERTIES],
  made: [...OF_SENDERS, ...HOT_COLUMNS],
  sent: HOT_SENT,
  engine: 'MergeTree',
  arguments: [],
  // By month; events of before 2015 share one, since anyone may send events of any year.
  partitionBy: 'toYYYYMM(fromUnixTimestamp64Milli(greatest(time, 1420070400000)))',
  orderBy: ['project', 'event_type', 'time', 'arrival'],
  // Projections are parts of the same files as their rows, so an id is found exactly if its event is. Short granules for ids,
  // since they are random.
  more: [
    `PROJECTION ${IDS} (SELECT project, insert_id, received ORDER BY project, insert_id) WITH SETTINGS (index_granularity = 256)`,
    `PROJECTION ${PROJECTION_OF_TYPES}`,
    `INDEX ${INDEX_OF_ARRIVALS}`,
    `INDEX ${INDEX_OF_IMPORTS}`,
  ],
  // Keys of maps lie in buckets, about two for each root of a map's size, so that one is read without the others.
  settings:
    "lightweight_mutation_projection_mode = 'rebuild', map_serialization_version = 'with_buckets', map_buckets_coefficient = 2, map_buckets_min_avg_size = 0",
  spreadBy: 'sipHash64(project)',
};

export const IDENTITIES: Table<IdentityColumn> = {
  name: 'identities',
  columns: OF_IDENTITIES,
  engine: 'ReplacingMergeTree',
  arguments: ['arrival'],
  orderBy: ['project', 'user_id', 'device_id', 'binding'],
  more: ['INDEX devices device_id TYPE bloom_filter(0.01) GRANULARITY 1'],
  spreadBy: 'sipHash64(project)',
};

export const USAGE: Table<(typeof OF_USAGE)[number][0]> = {
  name: 'usage_counts',
  columns: OF_USAGE,
  engine: 'ReplacingMergeTree',
  arguments: ['version'],
  orderBy: ['project', 'date', 'counter'],
  spreadBy: 'sipHash64(project)',
};

export const HOT_KEYS: Table<(typeof OF_HOT_KEYS)[number][0]> = {
  name: 'hot_keys',
  columns: OF_HOT_KEYS,
  engine: 'ReplacingMergeTree',
  arguments: [],
  orderBy: ['project', 'kind', 'key'],
  spreadBy: 'sipHash64(project)',
};

const VERSIONS: Table<(typeof OF_VERSIONS)[number][0]> = {
  name: 'schema_versions',
  columns: OF_VERSIONS,
  engine: 'MergeTree',
  arguments: [],
  orderBy: ['version'],
  spreadBy: 'rand()',
};

const TABLES: readonly Table[] = [EVENTS, IDENTITIES, HOT_KEYS, USAGE, VERSIONS];

/** Where the tables are: in one server, or on the servers of a cluster, replicated and spread by project. */
export interface Placement {
  readonly database: string;
  readonly cluster: string | null;
}

/** The statements that make version `SCHEMA_VERSION` in an empty or missing database, in order. Each can be repeated. */
export function createStatements(placement: Placement): string[] {
  return [
    `CREATE DATABASE IF NOT EXISTS ${quoted(placement.database)}${everywhere(placement)}`,
    ...TABLES.flatMap((of) => tableStatements(of, placement)),
    versionStatement(SCHEMA_VERSION, placement),
  ];
}

/** The statements that make a table where it is missing. */
export function tableStatements(of: Table, { database, cluster }: Placement): string[] {
  return cluster === null
    ? [createTable(of, `${quoted(database)}.${of.name}`, null)]
    : spreadTable(of, database, cluster);
}

/** Notes that the tables are at a version from now on. */
export function versionStatement(version: number, { database }: Placement): string {
  return `INSERT INTO ${quoted(database)}.${VERSIONS.name} (version) VALUES (${version})`;
}

/** For statements that concern every server. */
export function everywhere({ cluster }: Placement): string {
  return cluster === null ? '' : ` ON CLUSTER ${quoted(cluster)}`;
}

/** A table of each server's own state, over one replica of each shard. */
export function systemTable(name: string, cluster: string | null): string {
  return cluster === null ? `system.${name}` : `cluster(${quoted(cluster)}, system.${name})`;
}

/** A table for statements that change its parts: on a cluster, that of each server. */
export function localTable(name: string, cluster: string | null): string {
  return cluster === null ? name : `${name}_local ON CLUSTER ${quoted(cluster)}`;
}

/** A name as ClickHouse takes it, whatever is in it. */
export function quoted(name: string): string {
  return `\`${name.replaceAll('\\', '\\\\').replaceAll('`', '\\`')}\``;
}

/** The table on each server, and the one over all of them, which the service reads and writes. */
function spreadTable(of: Table, database: string, cluster: string): string[] {
  const where = ` ON CLUSTER ${quoted(cluster)}`;
  const name = `${quoted(database)}.${of.name}`;
  const replica = `'/clickhouse/tables/{shard}/{database}/{table}', '{replica}'`;
  const spread = `Distributed(${quoted(cluster)}, ${quoted(database)}, ${of.name}_local, ${of.spreadBy})`;
  return [
    createTable(of, `${name}_local${where}`, replica),
    `CREATE TABLE IF NOT EXISTS ${name}${where} AS ${name}_local ENGINE = ${spread}`,
  ];
}

/** @param replica arguments of a replicated engine; null: the table is on one server. */
function createTable(of: Table, name: string, replica: string | null): string {
  const sent = (of.sent ?? []).map(([column, type]) => [column, `${type} EPHEMERAL`] as const);
  const columns = [...of.columns, ...sent, ...(of.made ?? [])].map(([column, type]) => `${quoted(column)} ${type}`);
  const engine = `${replica === null ? '' : 'Replicated'}${of.engine}`;
  return [
    `CREATE TABLE IF NOT EXISTS ${name} (`,
    [...columns, ...(of.more ?? [])].map((line) => `  ${line}`).join(',\n'),
    `) ENGINE = ${engine}(${[...(replica === null ? [] : [replica]), ...of.arguments].join(', ')})`,
    ...(of.partitionBy === undefined ? [] : [`PARTITION BY ${of.partitionBy}`]),
    `ORDER BY (${of.orderBy.join(', ')})`,
    ...(of.settings === undefined ? [] : [`SETTINGS ${of.settings}`]),
  ].join('\n');
}

function enrichedType(field: EnrichedField): string {
  if (NULLABLE_FIELDS.has(field)) return 'Nullable(String) CODEC(ZSTD(1))';
  return OF_MANY_VALUES.has(field) ? 'String CODEC(ZSTD(1))' : 'LowCardinality(String)';
}
