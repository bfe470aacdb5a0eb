/** What the dashboard page consists of besides its HTML. The client's bundle takes it from the build (scripts/bundle.mjs). */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PACKAGE_FOLDER } from '../../base/files/package-folder.ts';

export interface PageFiles {
  /** A self-contained module. */
  readonly script: string;
  readonly style: string;
}

export function pageFiles(): PageFiles {
  const read = (name: string): string => readFileSync(join(PACKAGE_FOLDER, 'dist/public/console', name), 'utf8');
  return { script: read('file.js'), style: read('file.css') };
}
