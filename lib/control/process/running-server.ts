/**
 * The address of a data folder's server, for `wl admin` beside it. A killed server leaves the note behind, so it counts only
 * while somebody holds the folder's lock.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DataLock } from './data-lock.ts';
import { codeOf } from '../../base/errors.ts';

const NOTE_FILE = 'address';

/** Notes the address for browsers. The caller holds the lock. */
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
