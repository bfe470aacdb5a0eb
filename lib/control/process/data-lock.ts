import { makeFolderOnDisk } from '../../base/files/make-folders.ts';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError, codeOf } from '../../base/errors.ts';
import { ExclusiveLock } from '../../base/files/exclusive-lock.ts';
import { checkHeld, LOCK_FILE, lockedFile } from '../../base/files/locked-file.ts';
import { makePrivate } from '../../base/files/private-files.ts';
import { CONTROL_FILE } from '../database.ts';

/** How often a server checks that its lock still exists. Milliseconds. */
const LOOK = 250;

/** The right to be the only server of a data folder, held as long as the process lives. `wl admin` does not take it. */
export class DataLock {
  readonly #lock: ExclusiveLock;
  readonly #folder: string;
  #watch: NodeJS.Timeout | null = null;

  private constructor(lock: ExclusiveLock, folder: string) {
    this.#lock = lock;
    this.#folder = folder;
  }

  /** Creates the folder if missing. Throws AppError `conflict` if another server has it. */
  static acquire(dataFolder: string): DataLock {
    makeFolderOnDisk(dataFolder);
    const removed = lockedFile(dataFolder) === null && existsSync(join(dataFolder, CONTROL_FILE));
    makePrivate(join(dataFolder, LOCK_FILE));
    const lock = ExclusiveLock.take(join(dataFolder, LOCK_FILE));
    if (lock === null) {
      throw new AppError('conflict', `another server uses the data folder ${dataFolder}`, {
        hints: ['stop it first; to serve other data beside it, set WINDLASS_DATA to a folder of its own'],
      });
    }
    // Wait if data has no lock: a server whose lock was removed has ended by then.
    if (removed) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 4 * LOOK);
    return new DataLock(lock, dataFolder);
  }

  /** Whether a server has the folder now. Checks briefly and changes nothing. */
  static isHeld(dataFolder: string): boolean {
    return ExclusiveLock.isHeld(join(dataFolder, LOCK_FILE));
  }

  /** Calls `onLost` once when the lock file is removed or replaced. Writers also check before every write. */
  watch(onLost: (error: unknown) => void): void {
    const locked = lockedFile(this.#folder);
    this.#watch = setInterval(() => {
      try {
        if (locked !== null) checkHeld(locked);
      } catch (error) {
        this.#unwatch();
        onLost(error);
      }
    }, LOOK);
  }

  release(): void {
    this.#unwatch();
    this.#lock[Symbol.dispose]();
  }

  [Symbol.dispose](): void {
    this.release();
  }

  #unwatch(): void {
    if (this.#watch !== null) clearInterval(this.#watch);
    this.#watch = null;
  }
}

const NOTE_FILE = 'address';

/**
 * Notes the address for browsers, for `wl admin` beside the server. The caller holds the lock: a killed server leaves the note
 * behind, so it counts only while somebody holds that.
 */
export function noteAddress(dataFolder: string, url: string): void {
  writeFileSync(join(dataFolder, NOTE_FILE), `${url}\n`, { mode: 0o600 });
}

/** Removes the note: at the end, and at the start, since a killed server may have left it. */
export function forgetAddress(dataFolder: string): void {
  rmSync(join(dataFolder, NOTE_FILE), { force: true });
}

/** The address of the server that runs on the folder; null if none does, or it is not ready yet. */
export function runningAddress(dataFolder: string): string | null {
  if (!DataLock.isHeld(dataFolder)) return null;
  const url = noted(join(dataFolder, NOTE_FILE))?.trim();
  return url !== undefined && /^https?:$/.test(URL.parse(url)?.protocol ?? '') ? url : null;
}

function noted(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}
