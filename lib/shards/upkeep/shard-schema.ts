/** Whether a shard has the tables and indexes that its format says, and nothing else. */
import Database from 'better-sqlite3';
import { kept } from '../../base/kept.ts';
import { schemaOf, schemaProblems, type KnownSchema } from '../../base/schema-problems.ts';
import { TEXT_RUNS } from '../dictionary/text-runs.ts';
import { SCHEMA, SUMMED, type Connection } from '../file/shard-file.ts';

/** Where formats 1 and 2 kept insert ids; a shard has them until it is next written (key-runs.ts). */
const KEY_RUNS = `
  CREATE TABLE insert_runs (
    id INTEGER PRIMARY KEY, tier INTEGER NOT NULL, first REAL NOT NULL, last REAL NOT NULL, keys INTEGER NOT NULL,
    filter BLOB NOT NULL, starts BLOB NOT NULL, sum INTEGER
  );
  CREATE TABLE insert_keys (run INTEGER NOT NULL, chunk INTEGER NOT NULL, data BLOB NOT NULL, sum INTEGER);
  CREATE UNIQUE INDEX insert_keys_place ON insert_keys (run, chunk);
`;

/** Tables that a shard has only if it needs them, with their indexes. */
const isOptional = (part: string): boolean => /"(?:insert|text)_(?:runs|keys)/.test(part);

const byFormat = new Map<number, KnownSchema>();

/** One line for each part that differs. Runs nothing of what the file has. */
export function shardSchemaProblems(connection: Connection): string[] {
  const format = Number(connection.pragma('user_version', { simple: true }));
  const known = kept(byFormat, format, () => schemaOfFormat(format));
  return schemaProblems(schemaOf(connection), known, isOptional);
}

const NEW_IN_4 = [
  ['profiles', 'dates'],
  ['usage', 'times_replaced'],
  ['usage', 'fields_ignored'],
] as const;

/** Later formats only added columns. */
function schemaOfFormat(format: number): KnownSchema {
  const db = new Database(':memory:');
  try {
    db.exec(SCHEMA + TEXT_RUNS + KEY_RUNS);
    if (format < 5) db.exec('ALTER TABLE segments DROP COLUMN imports');
    if (format < 4) db.exec(NEW_IN_4.map(([table, column]) => `ALTER TABLE ${table} DROP COLUMN ${column}`).join(';'));
    if (format < 3) db.exec('ALTER TABLE segments DROP COLUMN ids_first; ALTER TABLE segments DROP COLUMN ids_last');
    if (format < 2) for (const table of SUMMED) db.exec(`ALTER TABLE ${table} DROP COLUMN sum`);
    return schemaOf(db);
  } finally {
    db.close();
  }
}
