/** Makes a folder and those above it that are missing. */
import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { codeOf } from '../errors.ts';

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
