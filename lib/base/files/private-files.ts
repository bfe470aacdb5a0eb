/** Files and folders that nobody but the account of the service may open. */
import { chmodSync, closeSync, openSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '../errors.ts';

/** For the whole process, before it makes its first file: what libraries make is the owner's alone, too. */
export const PRIVATE_UMASK = 0o077;

const OTHERS = 0o077; // bits of the group and of everybody
const PRIVATE_FILE = 0o600;

/** A folder below the data folder that others may be able to read or write. */
export interface Exposed {
  readonly path: string;
  /** As `ls -l` counts it, in octal: 755. */
  readonly mode: string;
}

/**
 * Makes the file when it is missing, and takes others' rights to it away. It is never opened when it is there: closing a file
 * that SQLite has open in the same process would drop its locks.
 */
export function makePrivate(file: string): void {
  try {
    closeSync(openSync(file, 'wx', PRIVATE_FILE));
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    takeRightsAway(file);
  }
}

/** The folder itself, and what lies in it, as far as others have rights to it: an operator's own choice, or a mistake. */
export function exposed(folder: string): readonly Exposed[] {
  const paths = [folder, ...readdirSync(folder).map((name) => join(folder, name))];
  return paths.flatMap((path) => {
    const bits = modeOf(path);
    return (bits & OTHERS) === 0 ? [] : [{ path, mode: bits.toString(8) }];
  });
}

/**
 * Takes others' rights to a file or folder away, when it is there. What is in a folder is out of their reach then, whatever its
 * own mode. What belongs to another account stays as it is: `exposed` tells of it.
 */
export function takeRightsAway(path: string): void {
  const bits = modeOf(path);
  if ((bits & OTHERS) === 0) return;
  try {
    chmodSync(path, bits & ~OTHERS);
  } catch (error) {
    if (codeOf(error) !== 'EPERM') throw error;
  }
}

/** 0 for what is gone: files of SQLite come and go. */
function modeOf(path: string): number {
  return (statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o777;
}
