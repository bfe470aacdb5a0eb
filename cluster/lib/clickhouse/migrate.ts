/** Brings the tables of a ClickHouse to the version that this release uses, and says what to do where they are at another. */
import { AppError, ConfigError } from '../../../lib/seam.ts';
import { ClickHouse, type Access } from './client.ts';
import {
  createStatements,
  quoted,
  SCHEMA_VERSION,
  versionStatement,
  type Placement,
  EVENTS,
  everywhere,
  HOT_KEYS,
  IDENTITIES,
  INDEX_OF_ARRIVALS,
  INDEX_OF_IMPORTS,
  PROJECTION_OF_TYPES,
  tableStatements,
  USAGE,
} from './schema.ts';
import { HOT_COLUMNS, HOT_SENT } from './hot/slots.ts';

/** The first leads from version 1 to 2. */
const UPGRADES: readonly ((placement: Placement) => readonly string[])[] = [
  countUsageByCounter,
  numberSenders,
  addHotColumns,
  indexArrivals,
  tellOfChanges,
  tellOfImports,
];

/** The table of before, whose rows were added up, stays: it is small, and says what was counted then. */
function countUsageByCounter(placement: Placement): readonly string[] {
  const database = quoted(placement.database);
  const counts = USAGE.columns.slice(4, 11).map(([name]) => name); // those that there were
  return [
    ...tableStatements(USAGE, placement),
    `INSERT INTO ${database}.${USAGE.name} (project, date, counter, version, ${counts.join(', ')})
SELECT project, date, 'version 1', 1, ${counts.map((name) => `sum(${name})`).join(', ')} FROM ${database}.usage GROUP BY project, date`,
  ];
}

/**
 * A projection by project is in the way of the project's new type, and made anew. Rows of before get their numbers when they are
 * read, until the last statements' work, in the background, is done.
 */
function numberSenders(placement: Placement): readonly string[] {
  const made = (EVENTS.made ?? []).filter(([name]) => name === 'sender' || name === 'anonymous');
  const tables = eventTables(placement);
  const [own] = tables;
  return [
    `ALTER TABLE ${own} DROP PROJECTION IF EXISTS types`,
    ...tables.flatMap((table) => [
      `ALTER TABLE ${table} MODIFY COLUMN project LowCardinality(String) CODEC(ZSTD(1))`,
      ...made.map(([name, type]) => `ALTER TABLE ${table} ADD COLUMN IF NOT EXISTS ${quoted(name)} ${type}`),
    ]),
    `ALTER TABLE ${own} ADD PROJECTION IF NOT EXISTS ${PROJECTION_OF_TYPES}`,
    `ALTER TABLE ${own} MATERIALIZE PROJECTION types`,
    ...made.map(([name]) => `ALTER TABLE ${own} MATERIALIZE COLUMN ${quoted(name)}`),
  ];
}

/** Properties of projects that have events already go on without. */
function addHotColumns(placement: Placement): readonly string[] {
  const columns = [...HOT_SENT.map(([name, type]) => [name, `${type} EPHEMERAL`] as const), ...HOT_COLUMNS];
  const added = columns.map(([name, type]) => `ADD COLUMN IF NOT EXISTS ${quoted(name)} ${type}`);
  return [
    ...tableStatements(HOT_KEYS, placement),
    ...eventTables(placement).map((table) => `ALTER TABLE ${table} ${added.join(', ')}`),
  ];
}

/** Parts of before get it in the background. */
function indexArrivals(placement: Placement): readonly string[] {
  const [own] = eventTables(placement);
  const [name] = INDEX_OF_ARRIVALS.split(' ');
  return [
    `ALTER TABLE ${own} ADD INDEX IF NOT EXISTS ${INDEX_OF_ARRIVALS}`,
    `ALTER TABLE ${own} MATERIALIZE INDEX ${name}`,
  ];
}

/** Profiles of before have no dates: these count as changed when this version was applied. */
function tellOfChanges(placement: Placement): readonly string[] {
  const added = (
    of: { readonly name: string; readonly columns: typeof IDENTITIES.columns | typeof USAGE.columns },
    names: readonly string[],
  ) => {
    const columns = of.columns.filter(([name]) => names.includes(name));
    const clauses = columns.map(([name, type]) => `ADD COLUMN IF NOT EXISTS ${quoted(name)} ${type}`).join(', ');
    return tablesOf(of.name, placement).map((table) => `ALTER TABLE ${table} ${clauses}`);
  };
  return [...added(IDENTITIES, ['dates']), ...added(USAGE, ['times_replaced', 'fields_ignored'])];
}

/** No event of before is of an import; parts of before get the index in the background. */
function tellOfImports(placement: Placement): readonly string[] {
  const [own] = eventTables(placement);
  const added = EVENTS.columns.filter(([name]) => name === '_import_id');
  return [
    ...eventTables(placement).flatMap((table) =>
      added.map(([name, type]) => `ALTER TABLE ${table} ADD COLUMN IF NOT EXISTS ${quoted(name)} ${type}`),
    ),
    `ALTER TABLE ${own} ADD INDEX IF NOT EXISTS ${INDEX_OF_IMPORTS}`,
    `ALTER TABLE ${own} MATERIALIZE INDEX ${INDEX_OF_IMPORTS.split(' ')[0]}`,
  ];
}

/** The table of events on each server first, then the one over all of them. */
function eventTables(placement: Placement): readonly [string, ...string[]] {
  return tablesOf(EVENTS.name, placement);
}

/** The table on each server first, then the one over all of them. */
function tablesOf(table: string, placement: Placement): readonly [string, ...string[]] {
  const name = `${quoted(placement.database)}.${table}`;
  const where = everywhere(placement);
  return where === '' ? [name] : [`${name}_local${where}`, `${name}${where}`];
}

/** What leads from a version of the tables to this release's, in order; nothing if it is there. Throws ConfigError if it is newer. */
export function statementsFrom(version: number, placement: Placement): readonly string[] {
  if (version > SCHEMA_VERSION) throw tooNew(version);
  if (version === 0) return createStatements(placement);
  return UPGRADES.slice(version - 1).flatMap((upgrade, i) => [
    ...upgrade(placement),
    versionStatement(version + i + 1, placement),
  ]);
}

/** The version of the tables; 0 if there are none. Rejects with ConfigError if ClickHouse cannot be asked. */
export async function schemaVersion(clickHouse: ClickHouse, { database }: Placement): Promise<number> {
  const has = "SELECT count() FROM system.tables WHERE database = {database:String} AND name = 'schema_versions'";
  if ((await told(() => clickHouse.value({ sql: has, params: { database } }))) === 0) return 0;
  const newest = `SELECT max(version) FROM ${quoted(database)}.schema_versions`;
  return Number(await told(() => clickHouse.value({ sql: newest })));
}

/** Runs what leads to this release's version; returns both. Each statement can be repeated if one fails. */
export async function migrate(access: Access): Promise<{ version: number; statements: readonly string[] }> {
  await using clickHouse = new ClickHouse({ ...access, database: 'default' });
  await checkVersion((sql) => told(() => clickHouse.value({ sql })));
  const statements = statementsFrom(await schemaVersion(clickHouse, access), access);
  for (const sql of statements) await told(() => clickHouse.run({ sql }));
  return { version: SCHEMA_VERSION, statements };
}

/** Resolves if a store can work there: the tables are at this release's version, and the clocks agree. Rejects with ConfigError. */
export async function checkSchema(access: Access): Promise<void> {
  await using clickHouse = new ClickHouse({ ...access, database: 'default' });
  const ask = (sql: string): Promise<unknown> => told(() => clickHouse.value({ sql }));
  await checkVersion(ask);
  const version = await schemaVersion(clickHouse, access);
  if (version > SCHEMA_VERSION) throw tooNew(version);
  if (version < SCHEMA_VERSION) {
    const todo = version === 0 ? 'no tables of Windlass yet: run `wl admin cluster init`' : `tables of version ${version}, and this release needs ${SCHEMA_VERSION}: run \`wl admin cluster upgrade\``; // prettier-ignore
    throw new ConfigError(`WINDLASS_STORE: database ${access.database} has ${todo}.`);
  }
  await checkRights((sql) => told(() => clickHouse.ask(sql)), access);
  await checkClock(ask);
}

/** Tells the operator, who may know it, what ClickHouse refused. */
async function told<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new ConfigError(
      `WINDLASS_STORE: ClickHouse cannot be used: ${error.data.cause ?? error.message}; check the address (of its HTTP interface), the user and the password.`,
    );
  }
}

function tooNew(version: number): ConfigError {
  return new ConfigError(
    `WINDLASS_STORE: the tables are of version ${version}, and this release knows ${SCHEMA_VERSION}: run the newer release that made them.`,
  );
}

/** The oldest that the tables and statements were tried with. */
const OLDEST = '26.7';
/** What the service does there. */
const RIGHTS = ['SELECT', 'INSERT', 'ALTER DELETE', 'ALTER CLEAR PROJECTION'] as const;

type Ask = (sql: string) => Promise<unknown>;

/** Rejects with ConfigError for a ClickHouse that is too old. `ask` answers the first value of a statement. */
export async function checkVersion(ask: Ask): Promise<void> {
  const version = String(await ask('SELECT version()'));
  const [year = 0, month = 0] = version.split('.').map(Number);
  const [oldestYear = 0, oldestMonth = 0] = OLDEST.split('.').map(Number);
  if (year > oldestYear || (year === oldestYear && month >= oldestMonth)) return;
  throw new ConfigError(`WINDLASS_STORE: this is ClickHouse ${version}, and ${OLDEST} or newer is needed: upgrade it.`);
}

/** Rejects with ConfigError where the user may not do what the service does. */
export async function checkRights(ask: Ask, { user, database }: { user: string; database: string }): Promise<void> {
  for (const right of RIGHTS) {
    const on = `${right} ON ${quoted(database)}.*`;
    if (Number(await ask(`CHECK GRANT ${on}`)) === 1) continue;
    throw new ConfigError(`WINDLASS_STORE: user ${user} may not ${right}: run GRANT ${on} TO ${quoted(user)}.`);
  }
}

/** Rejects with ConfigError where the clocks differ. */
export async function checkClock(ask: Ask, now: () => number = Date.now): Promise<void> {
  const before = now();
  const time = Number(await ask('SELECT toUnixTimestamp64Milli(now64(3))'));
  const apart = Math.max(before - time, time - now());
  // A clock that is further off counts times wrong: of events without one, of ids and of sessions.
  if (apart <= 60_000) return;
  const seconds = Math.round(apart / 1_000);
  throw new ConfigError(
    `WINDLASS_STORE: the clocks of this machine and of ClickHouse are ${seconds} s apart; synchronize them with a time server.`,
  );
}
