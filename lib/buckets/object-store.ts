/** Objects by key, in a folder or a bucket: an object is there whole or not at all. */
import fs from 'node:fs';
import path from 'node:path';
import { AppError } from '../base/errors.ts';
import { makeFolderOnDisk } from '../base/files/make-folders.ts';
import { openedFile } from '../base/files/opened-file.ts';

export interface Listed {
  /** Relative to the folder, or to the prefix in the bucket, with slashes. */
  readonly key: string;
  readonly bytes: number;
  /** When it was written, by the store's clock. Milliseconds since the epoch. */
  readonly at: number;
}

/** What a get needs to know of an object. */
export type KnownObject = Pick<Listed, 'key' | 'bytes'>;

export interface ObjectStore {
  /** For people: the path of the folder, or the location of the bucket. */
  readonly name: string;
  /** All objects whose key begins with `folder`, which ends with a slash. */
  list(folder: string): Promise<readonly Listed[]>;
  /** Hands over the content by pieces, each of which is valid until `take` returns. False: the object is missing, or not as long as it is known to be. */
  get(object: KnownObject, take: (piece: Buffer) => void): Promise<boolean>;
  /** Once this resolves, the store has the file on disk. It is synced, and may be moved there. */
  put(key: string, file: string): Promise<void>;
  /** Does nothing if it is missing. */
  remove(key: string): Promise<void>;
}

/** To a file, making its folder, with one piece at a time in memory. False: it is missing, or not as long as it is known to be. */
export async function download(store: ObjectStore, object: KnownObject, file: string): Promise<boolean> {
  makeFolderOnDisk(path.dirname(file));
  using to = openedFile(file, 'w', 0o600);
  const isWhole = await store.get(object, (piece) => fs.writeFileSync(to.fd, piece));
  fs.fsyncSync(to.fd);
  return isWhole;
}

/** The content of an object; null: it is missing, or not as long as it is known to be. */
export async function readObject(store: ObjectStore, object: KnownObject): Promise<Buffer | null> {
  if (object.bytes > 512 * 2 ** 20)
    // most bytes of an object read into memory: a manifest, or erasures
    throw new AppError('storage_unavailable', `${store.name} has ${object.key} of ${object.bytes} bytes`, {
      hints: ['no release writes one that large: look at what else writes there'],
    });
  const pieces: Buffer[] = [];
  const isWhole = await store.get(object, (piece) => void pieces.push(Buffer.from(piece)));
  return isWhole ? Buffer.concat(pieces) : null;
}
