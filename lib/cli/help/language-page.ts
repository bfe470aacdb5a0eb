import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PACKAGE_FOLDER } from '../../base/files/package-folder.ts';

/** docs/query-language.md. The bundle of client commands has its text instead of this. */
export function languagePage(): string {
  return readFileSync(join(PACKAGE_FOLDER, 'docs', 'query-language.md'), 'utf8');
}
