/** Removes a deleted project's files while no server runs; the caller holds the lock of the data folder. */
import fs from 'node:fs';
import path from 'node:path';
import { JournalFolder } from '../journal/folder.ts';
import { NO_PARTITIONS } from '../journal/rewrite.ts';
import { removeShard } from '../file/rewrite-shard.ts';
import { shardPath } from '../file/shard-file.ts';

/** @param folder The data folder. */
export function removeProject(folder: string, project: string): void {
  removeShard(shardPath(folder, project));
  if (fs.existsSync(path.join(folder, 'journal'))) new JournalFolder(folder, NO_PARTITIONS).scrub(project);
}
