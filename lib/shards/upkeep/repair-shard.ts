/** Repairs a shard that nobody has open, as far as possible without losing an event. */
import Database from 'better-sqlite3';
import fs from 'node:fs';
import path from 'node:path';
import { checkShard } from './check.ts';
import { freshName, moveAside, removeWithLog } from '../file/rewrite-shard.ts';
import { closedAfterUse } from '../file/shard-file.ts';
import { syncPath } from '../../base/files/sync-path.ts';

/**
 * Rebuilds the indexes of a damaged shard in a copy. If that is then intact, it replaces the shard, which is moved aside. Other
 * damage cannot be repaired, and nothing changes. Returns whether the shard is intact now.
 */
export function rebuildIndexes(file: string, aside: string): boolean {
  const copy = freshName(file);
  removeWithLog(copy);
  try {
    for (const suffix of ['', '-wal']) if (fs.existsSync(file + suffix)) fs.copyFileSync(file + suffix, copy + suffix);
    if (!reindex(copy) || checkShard(copy).length > 0) return false;
    for (const suffix of ['-wal', '-shm']) fs.rmSync(copy + suffix, { force: true }); // empty: its content is in the file
    moveAside(file, aside);
    fs.renameSync(copy, file);
    syncPath(path.dirname(file));
    return true;
  } finally {
    removeWithLog(copy);
  }
}

/** False if not even that is possible. */
function reindex(file: string): boolean {
  try {
    using shard = closedAfterUse(new Database(file));
    shard.connection.exec('REINDEX');
    shard.connection.pragma('wal_checkpoint(TRUNCATE)');
    return true;
  } catch (error) {
    if (error instanceof Database.SqliteError) return false;
    throw error;
  }
}
