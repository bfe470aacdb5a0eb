/** The SQLite file of one project: its schema and how it is opened. Other modules make and read its BLOBs. */
import { makeFolderOnDisk } from '../../base/files/make-folders.ts';
import Database from 'better-sqlite3';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { AppError, codeOf, codeOfDisk } from '../../base/errors.ts';
import { StaleSnapshot } from '../shard-reader.ts';
import { syncPath } from '../../base/files/sync-path.ts';

export type Connection = Database.Database;

/**
 * Since 2, stored rows have checksums (see stored-bytes.ts); since 3, segments have filters of insert ids, not runs of keys; since 4,
 * profiles have the dates of their changes, and usage two more counters; since 5, insert ids of imports are told from others.
 */
export const SHARD_FORMAT = 5;

/** Key in table `meta` of a shard that had profiles before it kept the dates of their changes: the start of the release that does. */
export const DATED_SINCE = 'dated_since';

export const SCHEMA = `
  CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
  -- What a column number means: the key of a stored column (see ColumnKey).
  CREATE TABLE fields (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE);
  -- A segment with live = 0 was replaced; it goes when no query reads it any more. ids_first, ids_last, imports: see insert-filter.ts.
  CREATE TABLE segments (
    id INTEGER PRIMARY KEY AUTOINCREMENT, rows INTEGER NOT NULL, first REAL NOT NULL, last REAL NOT NULL,
    types TEXT NOT NULL, tidy INTEGER NOT NULL, live INTEGER NOT NULL DEFAULT 1, sum INTEGER, ids_first REAL, ids_last REAL,
    imports INTEGER NOT NULL DEFAULT 0
  );
  CREATE TABLE columns (segment INTEGER NOT NULL, field INTEGER NOT NULL, data BLOB NOT NULL, sum INTEGER);
  CREATE UNIQUE INDEX columns_place ON columns (segment, field);
  -- Texts of the codes first to first + count - 1 of a field's dictionary.
  CREATE TABLE dictionaries (field INTEGER NOT NULL, first INTEGER NOT NULL, count INTEGER NOT NULL, data BLOB NOT NULL, sum INTEGER);
  CREATE UNIQUE INDEX dictionaries_place ON dictionaries (field, first);
  -- The log of bindings: see bindings.ts.
  CREATE TABLE bindings (first INTEGER PRIMARY KEY, count INTEGER NOT NULL, data BLOB NOT NULL, sum INTEGER);
  -- Properties of identified users, and the times known of them besides those of the stored events.
  CREATE TABLE profiles (
    person INTEGER PRIMARY KEY, first_seen REAL, last_seen REAL, properties TEXT NOT NULL, sum INTEGER,
    dates TEXT -- of the last changes: see change-dates.ts
  );
  -- Counters of a day (UTC) of arrival.
  CREATE TABLE usage (
    date TEXT PRIMARY KEY, ingested INTEGER NOT NULL, stored INTEGER NOT NULL, rejected INTEGER NOT NULL,
    duplicate INTEGER NOT NULL, dropped INTEGER NOT NULL, trimmed INTEGER NOT NULL, ids_ignored INTEGER NOT NULL,
    times_replaced INTEGER NOT NULL DEFAULT 0, fields_ignored INTEGER NOT NULL DEFAULT 0
  ) WITHOUT ROWID;
`;

/** How long a statement waits for another thread's transaction, milliseconds. */
const BUSY_TIMEOUT = 10_000;

/** For writing; in one text, since a call for each takes several times as long. */
const SETTINGS = `PRAGMA synchronous = FULL; PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY;
  PRAGMA cache_size = -2000`;

const PROJECT_ID = /^[A-Za-z0-9_-]{1,64}$/;

/** The path of a project's shard. Throws if the id is invalid, so that no text from outside becomes a path. */
export function shardPath(folder: string, project: string): string {
  if (!PROJECT_ID.test(project)) throw new Error('a project id has characters that no id has');
  return path.join(folder, 'shards', `${project}.db`);
}

/** Opens the shard for writing, creating it if missing. Throws AppError('shard_damaged') if the file is not a shard. */
export function openForWriting(file: string): Connection {
  return guarded(file, () => {
    if (!fs.existsSync(file)) makeShard(file);
    const connection = new Database(file, { timeout: BUSY_TIMEOUT });
    try {
      connection.exec(SETTINGS);
      upgrade(connection);
      return connection;
    } catch (error) {
      connection.close();
      throw error;
    }
  });
}

/** Opens an existing shard for reading in another thread. */
export function openForReading(file: string): Connection {
  return guarded(file, () => {
    const connection = new Database(file, { readonly: true, fileMustExist: true, timeout: BUSY_TIMEOUT });
    connection.exec('PRAGMA cache_size = -256'); // columns are cached decoded, and many files are open
    checkFormat(connection);
    return connection;
  });
}

/** A connection that `using` closes. */
export const closedAfterUse = (connection: Connection): { readonly connection: Connection } & Disposable => ({
  connection,
  [Symbol.dispose]: () => connection.close(),
});

const statements = new WeakMap<Connection, Map<string, Database.Statement>>();

/** A statement run for every segment or column: prepared once per connection. @param sql A constant of the code. */
export function prepared<Parameters extends unknown[], Row>(
  connection: Connection,
  sql: string,
): Database.Statement<Parameters, Row> {
  let known = statements.get(connection);
  if (!known) statements.set(connection, (known = new Map<string, Database.Statement>()));
  let statement = known.get(sql);
  if (!statement) known.set(sql, (statement = connection.prepare(sql)));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- whoever writes the statement knows what it takes and gives
  return statement as Database.Statement<Parameters, Row>;
}

/** Runs `use`; throws any failure as damage of the shard, or as a disk that cannot be used. */
export function guarded<T>(file: string, use: () => T): T {
  try {
    return use();
  } catch (error) {
    if (error instanceof StaleSnapshot) throw error;
    throw damaged(error, path.basename(file));
  }
}

/** What to do if nothing of a request was stored. */
export const SEND_AGAIN = {
  hints: ['Send the same request again later: events with an insert_id are counted once.'],
} as const;

/** The AppError for a failure of SQLite or of the file system; null for a bug. */
export function shardError(error: unknown): AppError | null {
  if (error instanceof AppError) return error;
  const code = codeOf(error);
  if (/^SQLITE_(CORRUPT|NOTADB|FORMAT)/.test(code)) return shardDamaged(String(error));
  if (codeOfDisk(error) !== null) {
    return new AppError(
      'storage_unavailable',
      `the server cannot use its disk at the moment (${code}); nothing of this request was stored`,
      SEND_AGAIN,
    );
  }
  return null;
}

/** ` (ENOSPC)`: the code in the message of such an error; '' if it has none. */
export function codeTold({ message }: AppError): string {
  return / \(\w+\)/.exec(message)?.[0] ?? '';
}

/** The AppError for any error in reading one project's data: it concerns that project alone. @param where For the log. */
export function damaged(error: unknown, where = ''): AppError {
  const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const known = shardError(error);
  if (known !== null && known !== error && known.data.code === 'storage_unavailable') return unusable(error, where);
  return known ?? shardDamaged(where === '' ? what : `shard ${where}: ${what}`);
}

function unusable(error: unknown, where: string): AppError {
  const what = `the data of this project cannot be used at the moment (${codeOf(error)}); nothing of this request was stored`;
  return new AppError('storage_unavailable', what, { ...SEND_AGAIN, cause: `shard ${where}`, ofProject: true });
}

/**
 * Whether a write failed since its file is open for reading alone. Where SQLite cannot open a file, its log or its index for
 * writing, as when no descriptor is left at that moment, it opens it for reading, says nothing, and stays with that until it is
 * closed: the index even for all threads, until the last of them closes it. @param error As thrown here or in another thread.
 */
export const isOpenForReading = (error: Error): boolean =>
  codeOf(error).startsWith(READONLY) || (error instanceof AppError && error.message.includes(`(${READONLY}`));

const READONLY = 'SQLITE_READONLY';

function shardDamaged(cause: string): AppError {
  return new AppError('shard_damaged', 'the data of this project is damaged', {
    hints: ['Run `wl admin check` on the server, then restore the project from a backup or delete it.'],
    cause,
  });
}

/** The tables whose bytes have checksums since format 2; earlier rows have null. */
export const SUMMED = [
  'segments',
  'columns',
  'dictionaries',
  'bindings',
  'profiles',
  'insert_runs',
  'insert_keys',
] as const;

function upgrade(connection: Connection): void {
  const format = checkFormat(connection);
  if (format === SHARD_FORMAT) return;
  connection
    .transaction(() => {
      if (format < 2) for (const table of SUMMED) connection.exec(`ALTER TABLE ${table} ADD COLUMN sum INTEGER`);
      if (format < 3)
        for (const column of ['ids_first', 'ids_last'])
          connection.exec(`ALTER TABLE segments ADD COLUMN ${column} REAL`);
      if (format < 4) dateProfiles(connection);
      connection.exec('ALTER TABLE segments ADD COLUMN imports INTEGER NOT NULL DEFAULT 0');
      connection.pragma(`user_version = ${SHARD_FORMAT}`);
    })
    .immediate();
}

/** Format 4. */
function dateProfiles(connection: Connection): void {
  connection.exec('ALTER TABLE profiles ADD COLUMN dates TEXT');
  for (const counter of ['times_replaced', 'fields_ignored'])
    connection.exec(`ALTER TABLE usage ADD COLUMN ${counter} INTEGER NOT NULL DEFAULT 0`);
  const write = connection.prepare('INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)');
  write.run(DATED_SINCE, Math.floor(Date.now() - process.uptime() * 1_000)); // before this process took any change
}

/** Throws AppError for a format that this version cannot read. */
function checkFormat(connection: Connection): number {
  const version = Number(connection.pragma('user_version', { simple: true }));
  if (version > SHARD_FORMAT) {
    throw new AppError('shard_damaged', 'the data of this project is of a later version of Windlass', {
      hints: ['The operator has to start the version that wrote it, or a later one.'],
      cause: `the shard has format ${version}, this version of Windlass reads ${SHARD_FORMAT}`,
    });
  }
  if (version < 1) throw shardDamaged('the shard has no format');
  return version;
}

/** Whether the bytes of a shard have checksums; readers may open a shard of an earlier version before a writer does. */
export const hasSums = (connection: Connection): boolean => checkFormat(connection) >= 2;

/** Whether a shard has the format that writers upgrade it to. */
export const hasCurrentFormat = (connection: Connection): boolean => checkFormat(connection) === SHARD_FORMAT;

/** An empty shard: made by SQLite once per thread, then copied, which is about five times as fast as making each. */
let emptyShard: Buffer | null = null;

function makeShard(file: string): void {
  const folder = path.dirname(file);
  makeFolderOnDisk(folder);
  emptyShard ??= makeEmptyShard();
  const fresh = `${file}.new`;
  fs.writeFileSync(fresh, emptyShard, { mode: 0o600, flush: true });
  fs.renameSync(fresh, file);
  syncPath(folder);
}

function makeEmptyShard(): Buffer {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'windlass-'));
  try {
    const file = path.join(folder, 'empty.db');
    const connection = new Database(file);
    connection.pragma('page_size = 4096'); // each table and index has at least one page, and most projects are small
    connection.pragma('auto_vacuum = INCREMENTAL');
    connection.pragma('journal_mode = WAL');
    connection.exec(SCHEMA);
    connection.pragma(`user_version = ${SHARD_FORMAT}`);
    connection.close();
    return fs.readFileSync(file);
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}

/** Loads the native module, so that the first file need not do so when no descriptor is left for it. */
export function loadSqlite(): void {
  new Database(':memory:').close();
}
