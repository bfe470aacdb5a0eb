/** Paths of a shard that waits to replace a project's, and of the one it replaces. */
import fs from 'node:fs';
import path from 'node:path';
import { namesIn } from '../base/files/names-in.ts';
import { shardPath } from '../shards/file/shard-file.ts';
import { backupName } from './finished-backup.ts';

const SUFFIX = '.restore';

/** Beside the shard, so that one rename puts it in place. */
export const stagedShard = (data: string, project: string): string => shardPath(data, project) + SUFFIX;

/** Same layout as after a full restore. */
export function shardAside(data: string, project: string): string {
  return path.join(data, `replaced-${backupName(Date.now())}`, 'shards', `${project}.db`);
}

/** Removes what an interrupted restore left, except shards that are still waiting. */
export function removeStaged(data: string, waiting: readonly string[]): void {
  const folder = path.join(data, 'shards');
  for (const name of namesIn(folder)) {
    const project = /^(.+)\.db\.restore(?:-wal|-shm)?$/.exec(name)?.[1];
    if (project !== undefined && !waiting.includes(project)) fs.rmSync(path.join(folder, name), { force: true });
  }
}
