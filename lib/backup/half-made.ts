/**
 * What processes that ended have left half made in a data folder. All of it may have users who were erased since, so it goes at the
 * start of the service, with an erasure and with a deletion; `wl admin check` names it.
 */
import fs from 'node:fs';
import path from 'node:path';
import { namesIn } from '../base/files/names-in.ts';
import { abandonedPartials, removeAbandonedPartials } from '../base/files/partial-folder.ts';
import type { ControlDatabase } from '../control/database.ts';
import { shardPath, shardError } from '../shards/file/shard-file.ts';

/** In the folder of an import: id of the project whose file may be in place before its rows are. */
export const PLACING = 'placing';

/** In a data folder, where a move to a cluster has its lock and its copies. */
export const MOVE_FOLDER = 'cluster-import';

const foldersOf = (data: string): string[] => [data, path.join(data, MOVE_FOLDER)];

/** Copies of events that belong to nobody: of backups to a bucket, imports, restores of a project, moves. */
export const halfMadeCopies = (data: string): string[] =>
  foldersOf(data).flatMap((folder) => abandonedPartials(folder));

/** Removes them; the service may be running. Rejects with AppError `storage_unavailable` if the disk does not let it. */
export async function removeHalfMade(data: string, control: Pick<ControlDatabase, 'projects'>): Promise<void> {
  try {
    await remove(data, control);
  } catch (error) {
    throw shardError(error) ?? error;
  }
}

async function remove(data: string, control: Pick<ControlDatabase, 'projects'>): Promise<void> {
  for (const partial of halfMadeCopies(data)) {
    const note = path.join(partial, PLACING);
    const id = fs.existsSync(note) ? fs.readFileSync(note, 'utf8') : '';
    // An empty note was cut off before the file was moved.
    if (id !== '' && (await control.projects.find(id)) === null) fs.rmSync(shardPath(data, id), { force: true });
  }
  for (const folder of foldersOf(data)) removeAbandonedPartials(folder);
}

/** Copies of a shard that were to take its place. */
const COPY = /\.db\.(?:new|own)(?:-wal|-shm|-journal)?$/;

/** Those beside the shards. Half made only while nothing else works on the folder: the caller knows, or has its lock. */
export function halfCopies(data: string): string[] {
  const folder = path.join(data, 'shards');
  return namesIn(folder)
    .filter((name) => COPY.test(name))
    .map((name) => path.join(folder, name));
}

/** Removes them. */
export function removeHalfCopies(data: string): void {
  for (const file of halfCopies(data)) fs.rmSync(file, { force: true });
}
