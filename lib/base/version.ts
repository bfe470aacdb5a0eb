/** The version of the package, read once from its package.json. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PACKAGE_FOLDER } from './files/package-folder.ts';
import { isRecord } from './is-record.ts';
import { readJson } from './text/read-json.ts';

/** As in package.json: `1.2.3`. */
export const VERSION: string = readVersion(join(PACKAGE_FOLDER, 'package.json'));

function readVersion(file: string): string {
  const parsed: unknown = readJson(readFileSync(file, 'utf8'));
  if (isRecord(parsed) && typeof parsed['version'] === 'string') return parsed['version'];
  throw new Error(`${file} has no version`);
}
