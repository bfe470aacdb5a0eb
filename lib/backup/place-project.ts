/** Makes a new project of an extracted shard, beside a running service or without one. */
import fs from 'node:fs';
import path from 'node:path';
import type { ControlDatabase } from '../control/database.ts';
import type { Parcel } from '../control/parcels.ts';
import type { Actor, Project } from '../control/types.ts';
import { AppError } from '../errors.ts';
import { renewShard } from '../shards/renew-shard.ts';
import { shardPath } from '../shards/shard-file.ts';
import { removePartials } from './series.ts';
import { syncPath } from './whole-file.ts';

export interface Placing {
  /** The data folder. */
  readonly data: string;
  readonly shard: string;
  readonly parcel: Parcel;
  readonly orgId: string;
  readonly name: string;
  readonly keepKeys: boolean;
}

/** The rows and the file count together: a crash before leaves neither, but for a file that belongs to nobody. */
export function placeProject(
  control: ControlDatabase,
  { data, shard, parcel, ...wanted }: Placing,
  by: Actor,
): { readonly project: Project; readonly secretKey: string } {
  renewShard(shard);
  const place = (id: string): void => {
    const file = shardPath(data, id);
    fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    fs.renameSync(shard, file);
    syncPath(path.dirname(file));
  };
  return control.operator.parcels.unpack(parcel, { ...wanted, place }, by);
}

/** A folder in the data folder for what is being put together; it goes with the process, or with the next start. */
export function workIn<T>(data: string, use: (folder: string) => Promise<T>): Promise<T> {
  return workAt(path.join(data, 'import'), use);
}

/** The same beside a file. */
export async function workAt<T>(beside: string, use: (folder: string) => Promise<T>): Promise<T> {
  removePartials(beside);
  const folder = `${beside}.partial-${process.pid}`;
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
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const told = error instanceof AppError && error.data.code === 'storage_unavailable';
  if (!told && !/^(?:SQLITE_FULL|SQLITE_IOERR.*|ENOSPC|EDQUOT|EFBIG|EROFS|EACCES|EIO|ENOENT)$/.test(code)) return error;
  const why = code === '' ? '' : ` (${code})`;
  return new AppError('storage_unavailable', `${path.dirname(place)} cannot be written${why}`, {
    hints: ['look at its free space and permissions; nothing was changed'],
  });
}
