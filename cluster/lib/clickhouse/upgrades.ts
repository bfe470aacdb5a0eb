/** What leads from each version of the tables to the next. Every statement can be repeated: one after it may fail. */
import { HOT_COLUMNS, HOT_SENT } from './hot/hot-columns.ts';
import {
  EVENTS,
  everywhere,
  HOT_KEYS,
  IDENTITIES,
  INDEX_OF_ARRIVALS,
  PROJECTION_OF_TYPES,
  quoted,
  tableStatements,
  USAGE,
  type Placement,
} from './schema.ts';

/** The first leads from version 1 to 2. */
export const UPGRADES: readonly ((placement: Placement) => readonly string[])[] = [
  countUsageByCounter,
  numberSenders,
  addHotColumns,
  indexArrivals,
  tellOfChanges,
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
