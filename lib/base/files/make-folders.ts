/** Makes a folder and those above it that are missing. */
import fs, { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { codeOf } from '../errors.ts';
import { syncPath } from './sync-path.ts';

/**
 * What `mkdirSync` does with `recursive`, but that never returns where the system lets nobody make a folder and calls it missing:
 * below `/proc`, or in a home folder that an automounter would make.
 */
export function makeFolders(path: string, mode: number): void {
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    const code = codeOf(error);
    if (code === 'EEXIST' && statSync(path).isDirectory()) return;
    const above = dirname(path);
    if (code !== 'ENOENT' || existsSync(above)) throw error;
    makeFolders(above, mode);
    mkdirSync(path, { mode });
  }
}

/**
 * Makes a folder of ours and those above it that are missing, and brings their names to the disk: until the folder around a new one
 * is synced, a power cut takes it with all that was synced in it.
 */
export function makeFolderOnDisk(path: string): void {
  const first = fs.mkdirSync(path, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let made = resolve(path); ; made = dirname(made)) {
    syncPath(dirname(made));
    if (made === resolve(first) || made === dirname(made)) return;
  }
}
