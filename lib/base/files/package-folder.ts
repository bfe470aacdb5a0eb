/** The package's folder: where package.json, docs/ and public/ are, wherever below it the built files lie. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const PACKAGE_FOLDER: string = findAbove(dirname(fileURLToPath(import.meta.url)));

function findAbove(folder: string): string {
  if (existsSync(join(folder, 'package.json'))) return folder;
  if (dirname(folder) === folder) throw new Error('package.json not found above the program');
  return findAbove(dirname(folder));
}
