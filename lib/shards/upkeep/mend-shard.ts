/** Repairs a shard that nobody has open, as far as possible without losing an event. */
import Database from 'better-sqlite3';
import fs from 'node:fs';
import path from 'node:path';
import { checkShard } from './check.ts';
import { Connections } from '../file/connections.ts';
import { freshName, needsRewrite, rewriteShard } from '../file/rewrite-shard.ts';
import { purgeRetired } from '../segment/store.ts';
import { openForWriting } from '../file/shard-file.ts';
import { syncPath } from '../../base/files/sync-path.ts';

/** Finishes an erasure cut off by a crash after its transaction: free pages may have the user's bytes. False if there is none. */
export function finishErasure(file: string): boolean {
  const connections = new Connections(openForWriting, 1);
  try {
    const connection = connections.get(file);
    if (!needsRewrite(connection)) return false;
    purgeRetired(connection);
    rewriteShard(connections, file);
    return true;
  } finally {
    connections.closeAll();
  }
}

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
    fs.mkdirSync(path.dirname(aside), { recursive: true, mode: 0o700 });
    for (const suffix of ['', '-wal', '-shm'])
      if (fs.existsSync(file + suffix)) fs.renameSync(file + suffix, aside + suffix);
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
    const connection = new Database(file);
    try {
      connection.exec('REINDEX');
      connection.pragma('wal_checkpoint(TRUNCATE)');
      return true;
    } finally {
      connection.close();
    }
  } catch (error) {
    if (error instanceof Database.SqliteError) return false;
    throw error;
  }
}

function removeWithLog(file: string): void {
  for (const suffix of ['', '-wal', '-shm']) fs.rmSync(file + suffix, { force: true });
}
