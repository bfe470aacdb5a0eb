/** The package's folder: where package.json, docs/ and public/ are, wherever below it the built files lie. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const PACKAGE_FOLDER: string = findAbove(dirname(fileURLToPath(import.meta.url)));

/** The program `wl`, for what the service runs in a process of its own. */
export const WL_PROGRAM = join(PACKAGE_FOLDER, 'dist/bin/wl.js');

function findAbove(folder: string): string {
  if (existsSync(join(folder, 'package.json'))) return folder;
  if (dirname(folder) === folder) throw new Error('package.json not found above the program');
  return findAbove(dirname(folder));
}
