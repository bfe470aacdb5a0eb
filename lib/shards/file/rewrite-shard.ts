/**
 * Rewrites a shard file after an erasure. SQLite overwrites what is deleted (`secure_delete`), but not the copies that it left in
 * the free space of pages when it moved rows between them. A new file has only current data.
 */
import { makeFolderOnDisk } from '../../base/files/make-folders.ts';
import Database from 'better-sqlite3';
import fs from 'node:fs';
import path from 'node:path';
import { AppError } from '../../base/errors.ts';
import type { ConnectionPool } from './connections.ts';
import { forgetErasing } from './erasing.ts';
import { closedAfterUse, type Connection } from './shard-file.ts';
import { syncPath } from '../../base/files/sync-path.ts';

/** Key in table `meta` from an erasure until the file is rewritten: after a crash in between, the next start does that (erasing.ts). */
const ERASING = 'erasing';

/** Notes that the file must be rewritten. Call it in the erasing transaction. */
export function markForRewrite(connection: Connection): void {
  connection.prepare('INSERT OR REPLACE INTO meta (key, value) VALUES (?, 1)').run(ERASING);
}

export const needsRewrite = (connection: Connection): boolean =>
  connection.prepare('SELECT 1 FROM meta WHERE key = ?').get(ERASING) !== undefined;

/**
 * Replaces the file by a fresh copy, by a rename: a crash leaves the old or the new one. No other thread may have the file open.
 * Throws AppError('storage_unavailable') if another process is reading it; SQLite's error if the disk has no room for the copy.
 */
export function rewriteShard(connections: ConnectionPool, file: string): void {
  const fresh = freshName(file);
  removeWithLog(fresh);
  const connection = connections.get(file);
  connection.pragma('wal_checkpoint(TRUNCATE)'); // the log may be as large as the file, and the copy needs the room
  connection.prepare('VACUUM INTO ?').run(fresh);
  finishCopy(fresh);
  // Otherwise the rest of the log would be taken for the new file's.
  if (connection.pragma('wal_checkpoint(TRUNCATE)', { simple: true }) !== 0) throw inUse();
  connections.close(file);
  fs.renameSync(fresh, file);
  for (const suffix of ['-wal', '-shm']) fs.rmSync(file + suffix, { force: true });
  syncPath(path.dirname(file));
}

/** Where the copy is made; what a crash left there is outdated. */
export const freshName = (file: string): string => `${file}.new`;

/** A shard's file, and what SQLite keeps beside it. */
const SUFFIXES = ['', '-wal', '-shm'] as const;

export function removeWithLog(file: string): void {
  for (const suffix of SUFFIXES) fs.rmSync(file + suffix, { force: true });
}

/** Moves a file with its log to another place on the same file system. */
export function moveAside(file: string, aside: string): void {
  makeFolderOnDisk(path.dirname(aside));
  for (const suffix of SUFFIXES) if (fs.existsSync(file + suffix)) fs.renameSync(file + suffix, aside + suffix);
}

/** Removes a shard for good. */
export function removeShard(file: string): void {
  removeWithLog(file);
  removeWithLog(freshName(file));
  forgetErasing(file);
  if (fs.existsSync(path.dirname(file))) syncPath(path.dirname(file));
}

function finishCopy(fresh: string): void {
  fs.chmodSync(fresh, 0o600);
  {
    using copy = closedAfterUse(new Database(fresh));
    copy.connection.pragma('journal_mode = WAL');
    copy.connection.prepare('DELETE FROM meta WHERE key = ?').run(ERASING);
  }
  syncPath(fresh);
}

function inUse(): AppError {
  return new AppError('storage_unavailable', 'the data is erased, but something still reads the old bytes of it', {
    hints: ['Ask again in a minute: they are removed then. A backup that is being made may be the reader.'],
  });
}
