import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PACKAGE_FOLDER } from '../../base/files/package-folder.ts';

/** docs/query-language.md. The bundle of client commands contains its text instead. */
export function languagePage(): string {
  return readFileSync(join(PACKAGE_FOLDER, 'docs', 'query-language.md'), 'utf8');
}
