import { statSync } from 'node:fs';
import { join } from 'node:path';

/** In the data folder: whoever holds its lock is the folder's one server. */
export const LOCK_FILE = 'lock';

/** The file that a lock is on: another file of the same name is another lock. */
export interface LockedFile {
  readonly file: string;
  readonly inode: number;
}

/** The lock file of a data folder; null if there is none, since nobody serves it. */
export function lockedFile(dataFolder: string): LockedFile | null {
  const file = join(dataFolder, LOCK_FILE);
  const inode = inodeOf(file);
  return inode === null ? null : { file, inode };
}

/** Throws if others see another file, or none: then this server must write nothing more. Takes a few microseconds. */
export function checkHeld(locked: LockedFile): void {
  if (inodeOf(locked.file) === locked.inode) return;
  throw new Error(
    `the lock of the data folder was removed or replaced (${locked.file}): this server ends, so that no two write to the folder`,
  );
}

const inodeOf = (file: string): number | null => statSync(file, { throwIfNoEntry: false })?.ino ?? null;
