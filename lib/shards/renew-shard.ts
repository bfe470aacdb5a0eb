/** Makes the copy of a shard one of its own: whatever was kept in memory of the original is never used for it. */
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { openForWriting } from './shard-file.ts';

/** One file without a log beside it, on the disk. `usage`: whether it counts what was stored; a project on another host begins at 0. */
export function renewShard(file: string, usage: 'kept' | 'none'): void {
  const connection = openForWriting(file);
  try {
    const meta = connection.prepare('INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)');
    meta.run('incarnation', randomBytes(4).readUInt32LE(0));
    if (usage === 'none') connection.prepare('DELETE FROM usage').run();
    connection.pragma('wal_checkpoint(TRUNCATE)');
  } finally {
    connection.close();
  }
  const fd = fs.openSync(file, 'r');
  try {
    fs.fsyncSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}
