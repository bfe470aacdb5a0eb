/**
 * The tables of a shard with a few short rows, as arrays of values in order of the first. To prepare a statement takes longer than
 * to read such a table, and a writer that loads a shard needs them all: those of an image are read with one statement, once.
 */
import { kept } from '../../base/kept.ts';
import { prepared, type Connection } from './shard-file.ts';
import { isImage } from './shard-image.ts';

/** A row of each, with these COLUMNS. */
interface Rows {
  readonly meta: readonly [key: string, value: number];
  readonly segments: readonly [
    ...[id: number, rows: number, first: number, last: number],
    ...[tidy: number, live: number, idsFirst: number | null, idsLast: number | null, imports: number],
  ];
  readonly fields: readonly [id: number, key: string];
  readonly usage: readonly [
    ...[date: string, ingested: number, stored: number, rejected: number],
    ...[duplicate: number, dropped: number, trimmed: number, idsIgnored: number],
    ...[timesReplaced: number, fieldsIgnored: number],
  ];
  /** Names of tables that only some shards have. */
  readonly rare: readonly [name: string];
}

type Name = keyof Rows;
type Tables = { readonly [Table in Name]: readonly Rows[Table][] };

const COLUMNS: { readonly [Table in Name]: string } = {
  meta: 'key, value',
  segments: 'id, rows, first, last, tidy, live, ids_first, ids_last, imports',
  fields: 'id, key',
  usage: 'date, ingested, stored, rejected, duplicate, dropped, trimmed, ids_ignored, times_replaced, fields_ignored',
  rare: 'name',
};

const RARE = "sqlite_master WHERE type = 'table' AND name IN ('text_runs', 'insert_runs')";
const sourceOf = (name: string): string => (name === 'rare' ? RARE : name);

const countOf = (columns: string): number => columns.split(',').length;
const WIDTH = Math.max(...Object.values(COLUMNS).map(countOf));

const ALL = Object.entries(COLUMNS)
  .map(([name, columns]) => {
    const padding = ', NULL'.repeat(WIDTH - countOf(columns));
    return `SELECT '${name}' AS part, ${columns}${padding} FROM ${sourceOf(name)}`;
  })
  .join(' UNION ALL ');

const images = new WeakMap<Connection, Tables>();

export function smallTable<Table extends Name>(connection: Connection, name: Table): readonly Rows[Table][] {
  if (!isImage(connection)) {
    const sql = `SELECT ${COLUMNS[name]} FROM ${sourceOf(name)} ORDER BY 1`;
    return prepared<[], Rows[Table]>(connection, sql).raw().all();
  }
  return kept(images, connection, () => readAll(connection))[name];
}

/** Whether a shard has a table that is created when first needed. */
export const hasTable = (connection: Connection, name: 'text_runs' | 'insert_runs'): boolean =>
  smallTable(connection, 'rare').some(([known]) => known === name);

function readAll(connection: Connection): Tables {
  const rows = connection.prepare<[], [string, ...unknown[]]>(ALL).raw().all();
  const tables = Object.entries(COLUMNS).map(([name, columns]) => {
    const own = rows.filter(([part]) => part === name).map((row) => row.slice(1, countOf(columns) + 1));
    return [name, own.sort(byFirst)]; // ORDER BY in the statement takes as long as the rest of it
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- these are the columns of COLUMNS
  return Object.fromEntries(tables) as Tables;
}

const byFirst = ([a]: readonly unknown[], [b]: readonly unknown[]): number =>
  typeof a === 'number' ? a - Number(b) : String(a) < String(b) ? -1 : 1;
