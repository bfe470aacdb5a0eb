/**
 * Transactions of a shard that do not wait for the disk: whoever waits for one only needs to read, and the journal keeps what it
 * stores until `syncLog` has ended. A crash of the machine leaves the shard as it was before.
 */
import { codeOf } from '../../base/errors.ts';
import { fileSize } from '../../base/files/file-size.ts';
import fs from 'node:fs';
import path from 'node:path';
import { syncPath } from '../../base/files/sync-path.ts';
import { prepared, type Connection } from './shard-file.ts';

/**
 * Runs a transaction without waiting for the disk. A log that was in use may restart with it: then its header is synced as usual,
 * or leftovers could be taken for part of it. A new log is only written, and not checkpointed before it is synced.
 */
export function withoutSync<T>(connection: Connection, run: () => T): T {
  const isNew = fileSize(logOf(connection.name)) === 0;
  connection.exec(isNew ? 'PRAGMA synchronous = OFF; PRAGMA wal_autocheckpoint = 0' : 'PRAGMA synchronous = NORMAL');
  try {
    return run();
  } finally {
    connection.exec('PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 1000');
  }
}

/** Whether somebody was in the way; pages in the log, and of these in the file too. */
interface Checkpoint {
  readonly busy: number;
  readonly log: number;
  readonly checkpointed: number;
}

/**
 * Runs transactions on a shard that nobody else writes to, and has them on disk at the end: once for all, as the log is brought into
 * the file. Takes half the time of a sync for each.
 */
export function withOneSync<T>(connection: Connection, run: () => T): T {
  connection.exec('PRAGMA synchronous = NORMAL');
  const value = run();
  bringToDisk(connection);
  return value;
}

/** Has what a shard stores on disk, also where a sync of its log has failed: brings the log into the file, as far as queries allow. */
export function bringToDisk(connection: Connection): void {
  const checkpoint = prepared<[], Checkpoint>(connection, 'PRAGMA wal_checkpoint(PASSIVE)').get();
  if (checkpoint?.busy !== 0 || checkpoint.log !== checkpoint.checkpointed) syncLogNow(connection.name); // a query still reads what was there before
}

/** Syncs the log of a shard, and its name. If there is none, whoever checkpointed it has done so. */
export async function syncLog(file: string): Promise<void> {
  await using log = await fs.promises.open(logOf(file), 'r').catch(noneIsThere);
  if (log === null) return;
  await log.sync();
  await using folder = await fs.promises.open(path.dirname(file), 'r');
  await folder.sync();
}

/** The same, but blocks. */
export function syncLogNow(file: string): void {
  if (!fs.existsSync(logOf(file))) return;
  syncPath(logOf(file));
  syncPath(path.dirname(file));
}

const logOf = (file: string): string => `${file}-wal`;

function noneIsThere(error: unknown): null {
  if (codeOf(error) === 'ENOENT') return null;
  throw error;
}
