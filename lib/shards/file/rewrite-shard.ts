/**
 * A shard file written anew after an erasure. SQLite overwrites what is deleted (`secure_delete`), but not the copies that it
 * left behind earlier in the free space of pages, when rows moved between them. A fresh file has only what is there.
 */
import Database from 'better-sqlite3';
import fs from 'node:fs';
import path from 'node:path';
import { AppError } from '../../base/errors.ts';
import type { Connections } from './connections.ts';
import type { Connection } from './shard-file.ts';
import { syncPath } from '../../base/files/sync-path.ts';

/** In table `meta` from an erasure on until the file is rewritten: a crash in between is made good by the next erasure. */
const ERASING = 'erasing';

/** Notes that the file must be rewritten. Inside the transaction that erases. */
export function markForRewrite(connection: Connection): void {
  connection.prepare('INSERT OR REPLACE INTO meta (key, value) VALUES (?, 1)').run(ERASING);
}

export const needsRewrite = (connection: Connection): boolean =>
  connection.prepare('SELECT 1 FROM meta WHERE key = ?').get(ERASING) !== undefined;

/**
 * Puts a fresh copy in the place of the file, by rename: a crash leaves the old or the new. No other thread may have the file
 * open. Throws AppError('storage_unavailable') when something of another process is reading it; SQLite's error when the disk
 * has no room for the copy.
 */
export function rewriteShard(connections: Connections, file: string): void {
  const fresh = freshName(file);
  fs.rmSync(fresh, { force: true });
  const connection = connections.get(file);
  connection.prepare('VACUUM INTO ?').run(fresh);
  finishCopy(fresh);
  // What is left in the log would be taken for the new file's.
  if (connection.pragma('wal_checkpoint(TRUNCATE)', { simple: true }) !== 0) throw inUse();
  connections.close(file);
  fs.renameSync(fresh, file);
  for (const suffix of ['-wal', '-shm']) fs.rmSync(file + suffix, { force: true });
  syncPath(path.dirname(file));
}

/** Where a copy is made; what a crash left there is old. */
export const freshName = (file: string): string => `${file}.new`;

function finishCopy(fresh: string): void {
  fs.chmodSync(fresh, 0o600);
  const copy = new Database(fresh);
  try {
    copy.pragma('journal_mode = WAL');
    copy.prepare('DELETE FROM meta WHERE key = ?').run(ERASING);
  } finally {
    copy.close();
  }
  syncPath(fresh);
}

function inUse(): AppError {
  return new AppError('storage_unavailable', 'the data is erased, but something still reads the old bytes of it', {
    hints: ['Ask again in a minute: they are removed then. A backup that is being made may be the reader.'],
  });
}
