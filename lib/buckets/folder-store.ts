/** A folder as a store of objects: an object is a file of its name. */
import fs from 'node:fs';
import path from 'node:path';
import { makeFolderOnDisk } from '../base/files/make-folders.ts';
import { namesIn } from '../base/files/names-in.ts';
import { openedFile } from '../base/files/opened-file.ts';
import { syncPath } from '../base/files/sync-path.ts';
import type { KnownObject, Listed, ObjectStore } from './object-store.ts';

export class FolderStore implements ObjectStore {
  readonly name: string;

  constructor(folder: string) {
    this.name = folder;
  }

  /** Regular files only: a link may lead to a device that never ends, and a pipe may wait for ever. */
  list(folder: string): Promise<readonly Listed[]> {
    const found = namesIn(this.#at(folder)).flatMap((name) => {
      const file = this.#lookAt(folder + name);
      return file?.isFile() === true ? { key: folder + name, bytes: file.size, at: file.mtimeMs } : [];
    });
    return Promise.resolve(found);
  }

  get({ key, bytes }: KnownObject, take: (piece: Buffer) => void): Promise<boolean> {
    const file = this.#lookAt(key);
    if (file?.isFile() !== true || file.size !== bytes) return Promise.resolve(false);
    using from = openedFile(this.#at(key), 'r');
    const piece = Buffer.allocUnsafe(Math.min(1 << 20, bytes)); // bytes read at a time
    for (let at = 0; at < bytes;) {
      const read = fs.readSync(from.fd, piece, 0, Math.min(piece.length, bytes - at), at);
      if (read === 0) return Promise.resolve(false);
      take(piece.subarray(0, read));
      at += read;
    }
    return Promise.resolve(true);
  }

  /** Moves the file, which lies on the same disk. */
  put(key: string, file: string): Promise<void> {
    const to = this.#at(key);
    makeFolderOnDisk(path.dirname(to));
    fs.renameSync(file, to);
    syncPath(path.dirname(to));
    return Promise.resolve();
  }

  remove(key: string): Promise<void> {
    fs.rmSync(this.#at(key), { force: true });
    return Promise.resolve();
  }

  #at(key: string): string {
    return path.join(this.name, key);
  }

  #lookAt(key: string): fs.Stats | undefined {
    return fs.lstatSync(this.#at(key), { throwIfNoEntry: false });
  }
}
