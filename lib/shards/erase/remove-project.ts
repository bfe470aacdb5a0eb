/** Removes a deleted project's files while no server runs; the caller holds the lock of the data folder. */
import fs from 'node:fs';
import path from 'node:path';
import type { ProjectRef } from '../../base/project.ts';
import { forgetSetAside } from '../journal/damage.ts';
import { rewriteForeign } from '../journal/rewrite.ts';
import { removeShard } from '../file/rewrite-shard.ts';
import { shardPath } from '../file/shard-file.ts';

/** No writers, so that every journal file counts as foreign. */
const NO_PARTITIONS = 0;

/** @param folder The data folder. */
export function removeProject(folder: string, project: string): void {
  removeShard(shardPath(folder, project));
  const journal = path.join(folder, 'journal');
  if (!fs.existsSync(journal)) return;
  rewriteForeign<{ project: ProjectRef }>(journal, NO_PARTITIONS, (head) => head.project.id === project);
  forgetSetAside(journal, project);
}
