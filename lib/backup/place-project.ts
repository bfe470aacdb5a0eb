/** Makes a new project from an extracted shard; the service may be running. */
import { makeFolderOnDisk } from '../base/files/make-folders.ts';
import fs from 'node:fs';
import path from 'node:path';
import type { ControlDatabase } from '../control/database.ts';
import type { Parcel } from '../control/operator/parcels.ts';
import type { Actor, Project } from '../control/types.ts';
import { AppError, codeOf, isOfDisk } from '../base/errors.ts';
import { renewShard } from '../shards/seal/renew-shard.ts';
import { codeTold, guarded, shardPath } from '../shards/file/shard-file.ts';
import { PartialFolder, removePartials } from '../base/files/partial-folder.ts';
import { PLACING, removeHalfMade } from './half-made.ts';
import { syncPath } from '../base/files/sync-path.ts';
import { namesIn } from '../base/files/names-in.ts';
import { backupName } from './finished-backup.ts';

export interface Placing {
  /** The data folder. */
  readonly data: string;
  readonly shard: string;
  readonly parcel: Parcel;
  readonly orgId: string;
  readonly name: string;
  readonly keepKeys: boolean;
}

/**
 * Commits the rows and the file together: a crash before that leaves at most an unowned file, which `removeHalfMade` removes.
 * `shard` is in the `shards` of a folder of `workIn`.
 */
export async function placeProject(
  control: ControlDatabase,
  { data, shard, parcel, ...wanted }: Placing,
  by: Actor,
): Promise<{ readonly project: Project; readonly secretKey: string }> {
  guarded(shard, () => renewShard(shard));
  const place = (id: string): void => {
    const file = shardPath(data, id);
    makeFolderOnDisk(path.dirname(file));
    const note = path.join(path.dirname(path.dirname(shard)), PLACING);
    fs.writeFileSync(note, id, { flush: true });
    syncPath(path.dirname(note));
    fs.renameSync(shard, file);
    syncPath(path.dirname(file));
  };
  return control.operator.parcels.unpack(parcel, { ...wanted, place }, by);
}

/** Makes a working folder in the data folder; it is removed after `use`, or by whoever comes next if the process dies. */
export async function workIn<T>(
  { data, control }: { readonly data: string; readonly control: ControlDatabase },
  use: (folder: string) => Promise<T>,
): Promise<T> {
  await removeHalfMade(data, control);
  return workAt(path.join(data, 'import'), use);
}

/** The same beside a file. */
export async function workAt<T>(beside: string, use: (folder: string) => Promise<T>): Promise<T> {
  try {
    removePartials(beside);
    using folder = PartialFolder.make(beside);
    for (const part of ['shards', 'journal']) fs.mkdirSync(path.join(folder.path, part), { mode: 0o700 });
    return await use(folder.path);
  } catch (error) {
    throw fullDisk(error, beside);
  }
}

function fullDisk(error: unknown, place: string): unknown {
  const code = codeOf(error);
  const folder = path.dirname(place);
  if (error instanceof AppError && error.data.code === 'storage_unavailable')
    return unusable(`${folder} or the data folder cannot be used${codeTold(error)}`);
  return code === 'ENOENT' || isOfDisk(error) ? unusable(`${folder} cannot be written (${code})`) : error;
}

function unusable(what: string): AppError {
  return new AppError('storage_unavailable', what, {
    hints: ['look at its free space and permissions; nothing was changed'],
  });
}

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
