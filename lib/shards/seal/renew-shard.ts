/** Makes the copy of a shard independent: nothing kept in memory of the original is ever used for it. */
import { randomInt } from 'node:crypto';
import { closedAfterUse, openForWriting, type Connection } from '../file/shard-file.ts';
import { nextArrival, WORD_VALUES, writeMeta } from '../segment/shard-meta.ts';
import { saveUsage, type DayCounts } from '../file/usage-counters.ts';
import { syncPath } from '../../base/files/sync-path.ts';

/** Leaves one synced file without a log. Deletes the usage counters: what was stored is not billed again. */
export function renewShard(file: string): void {
  change(file, (connection) => {
    writeMeta(connection, { incarnation: randomInt(WORD_VALUES) });
    connection.prepare('DELETE FROM usage').run();
  });
}

/** The same for a copy that replaces its own project: keeps the known days of usage, so that the bill stays the same. */
export function renewWithUsage(file: string, days: readonly DayCounts[]): void {
  renewShard(file);
  change(file, (connection) => saveUsage(connection, days));
}

/** Leaves no log beside the file. */
export function nextArrivalOf(file: string): number {
  using shard = closedAfterUse(openForWriting(file));
  return nextArrival(shard.connection);
}

/** Gives later events arrival numbers from `next` on. */
export function raiseArrivals(file: string, next: number): void {
  if (nextArrivalOf(file) >= next) return;
  change(file, (connection) => writeMeta(connection, { next_arrival: next }));
}

function change(file: string, make: (connection: Connection) => void): void {
  const connection = openForWriting(file);
  try {
    connection.transaction(() => make(connection)).immediate();
    connection.pragma('wal_checkpoint(TRUNCATE)');
  } finally {
    connection.close();
  }
  syncPath(file);
}
