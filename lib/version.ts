/** The version of the package, read once from its package.json, wherever the built files lie below it. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** As in package.json: `1.2.3`. */
export const VERSION: string = readVersion(dirname(fileURLToPath(import.meta.url)));

function readVersion(folder: string): string {
  const file = join(folder, 'package.json');
  if (!existsSync(file)) {
    if (dirname(folder) === folder) throw new Error('package.json not found above the program');
    return readVersion(dirname(folder));
  }
  const parsed: unknown = JSON.parse(readFileSync(file, 'utf8'));
  if (typeof parsed === 'object' && parsed !== null && 'version' in parsed && typeof parsed.version === 'string') {
    return parsed.version;
  }
  throw new Error(`${file} has no version`);
}
