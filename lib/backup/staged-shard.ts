/** Where a shard lies that is to take the place of a project's, and where that goes. */
import fs from 'node:fs';
import path from 'node:path';
import { shardPath } from '../shards/file/shard-file.ts';
import { backupName } from './series.ts';

const SUFFIX = '.restore';

/** Beside the shard, so that one rename puts it there. */
export const stagedShard = (data: string, project: string): string => shardPath(data, project) + SUFFIX;

/** As after a restore of everything. */
export function shardAside(data: string, project: string): string {
  return path.join(data, `replaced-${backupName(Date.now())}`, 'shards', `${project}.db`);
}

/** Removes what a restore that was cut off has left, but for what still waits. */
export function removeStaged(data: string, waiting: readonly string[]): void {
  const folder = path.join(data, 'shards');
  for (const name of fs.existsSync(folder) ? fs.readdirSync(folder) : []) {
    const project = /^(.+)\.db\.restore(?:-wal|-shm)?$/.exec(name)?.[1];
    if (project !== undefined && !waiting.includes(project)) fs.rmSync(path.join(folder, name), { force: true });
  }
}
