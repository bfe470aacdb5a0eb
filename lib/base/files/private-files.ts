/** Files and folders that only the service's account may open. */
import { chmodSync, closeSync, existsSync, openSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '../errors.ts';
/** Folder in the data folder with every version of the scripts that customers' pages may refer to by hash. */
export const SCRIPTS_FOLDER = 'scripts';

/** For the whole process, before it makes its first file: files that libraries make are private too. Bits of the group and of everybody. */
export const PRIVATE_UMASK = 0o077;

/** Of the owner alone. */
export const PRIVATE_FILE = 0o600;

/** The data folder, or something in it, that others may be able to read or write. */
export interface Exposed {
  readonly path: string;
  /** Octal permission bits: 755. */
  readonly mode: string;
}

/**
 * Creates a missing file, and revokes others' rights to an existing one without opening it: closing a file that SQLite has open
 * in the same process would drop its locks.
 */
export function makePrivate(file: string): void {
  try {
    closeSync(openSync(file, 'wx', PRIVATE_FILE));
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    takeRightsAway(file);
  }
}

/** The folder itself and its entries, if others have rights to them: an operator's choice, or a mistake. */
export function exposed(folder: string): readonly Exposed[] {
  const paths = [folder, ...readdirSync(folder).map((name) => join(folder, name))];
  return paths.flatMap((path) => {
    const bits = modeOf(path);
    return (bits & PRIVATE_UMASK) === 0 ? [] : [{ path, mode: bits.toString(8) }];
  });
}

/**
 * Files of a data folder that belong to another account than the folder, relative to it: what root made there, the service may be
 * unable to open. @param owner Id of the account that should have all.
 */
export function ofOthers(folder: string, owner: number = statSync(folder).uid): readonly string[] {
  const places = ['.', 'shards', 'journal', 'scripts'].filter((name) => existsSync(join(folder, name)));
  const names = places.flatMap((place) => readdirSync(join(folder, place)).map((name) => join(place, name)));
  return names.filter((name) => {
    const uid = statSync(join(folder, name), { throwIfNoEntry: false })?.uid;
    return uid !== undefined && uid !== owner;
  });
}

/**
 * Revokes others' rights to a file or folder, if it exists. What a folder contains is then out of their reach, whatever its own
 * mode. What belongs to another account stays as it is; `exposed` reports it.
 */
export function takeRightsAway(path: string): void {
  const bits = modeOf(path);
  if ((bits & PRIVATE_UMASK) === 0) return;
  try {
    chmodSync(path, bits & ~PRIVATE_UMASK);
  } catch (error) {
    if (codeOf(error) !== 'EPERM') throw error;
  }
}

/** 0 if it is gone: SQLite's files come and go. */
function modeOf(path: string): number {
  return (statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o777;
}
