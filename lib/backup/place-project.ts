/** Makes a new project from an extracted shard; the service may be running. */
import fs from 'node:fs';
import path from 'node:path';
import type { ControlDatabase } from '../control/database.ts';
import type { Parcel } from '../control/operator/parcels.ts';
import type { Actor, Project } from '../control/types.ts';
import { AppError, codeOf } from '../base/errors.ts';
import { renewShard } from '../shards/seal/renew-shard.ts';
import { codeTold, guarded, shardPath } from '../shards/file/shard-file.ts';
import { isOfDisk } from '../base/files/disk-error.ts';
import { partialName, removePartials, partialsOf } from './series.ts';
import { syncPath } from '../base/files/sync-path.ts';

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
 * Commits the rows and the file together: a crash before that leaves at most an unowned file, which `removeHalfImports` removes.
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
    fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    const note = path.join(path.dirname(path.dirname(shard)), PLACING);
    fs.writeFileSync(note, id, { flush: true });
    syncPath(path.dirname(note));
    fs.renameSync(shard, file);
    syncPath(path.dirname(file));
  };
  return control.operator.parcels.unpack(parcel, { ...wanted, place }, by);
}

/** Makes a working folder in the data folder; it is removed after `use`, or by the next call if the process dies. */
export async function workIn<T>(
  { data, control }: { readonly data: string; readonly control: ControlDatabase },
  use: (folder: string) => Promise<T>,
): Promise<T> {
  await removeHalfImports(data, control);
  return workAt(path.join(data, 'import'), use);
}

/** The same beside a file. */
export async function workAt<T>(beside: string, use: (folder: string) => Promise<T>): Promise<T> {
  removePartials(beside);
  const folder = partialName(beside);
  fs.rmSync(folder, { recursive: true, force: true });
  try {
    for (const part of [folder, path.join(folder, 'shards'), path.join(folder, 'journal')])
      fs.mkdirSync(part, { mode: 0o700 });
    return await use(folder);
  } catch (error) {
    throw fullDisk(error, beside);
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
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

/** In the folder of an import: id of the project whose file may be in place before its rows are. */
export const PLACING = 'placing';

/** Removes what killed imports left in a data folder. */
export async function removeHalfImports(data: string, control: ControlDatabase): Promise<void> {
  const target = path.join(data, 'import');
  for (const partial of partialsOf(target)) {
    const note = path.join(partial, PLACING);
    const id = fs.existsSync(note) ? fs.readFileSync(note, 'utf8') : '';
    // An empty note was cut off before the file was moved.
    if (id !== '' && (await control.projects.find(id)) === null) fs.rmSync(shardPath(data, id), { force: true });
  }
  removePartials(target);
}
