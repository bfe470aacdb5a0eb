/** What the dashboard page consists of besides its HTML. The client's bundle takes it from the build (scripts/bundle.mjs). */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PACKAGE_FOLDER } from '../../base/files/package-folder.ts';
/** Style sheets of dashboards, in the order in which they override each other. */
export const DASHBOARD_STYLES = ['dashboards', 'dashboard-cards', 'dashboard-pictures', 'dashboard-tables'] as const;

/** Style sheets in the order in which they override each other. */
const STYLES = ['base', 'frame', 'console', 'forms', ...DASHBOARD_STYLES];

export interface PageFiles {
  /** A self-contained module. */
  readonly script: string;
  readonly style: string;
}

export function pageFiles(): PageFiles {
  return {
    script: readFileSync(join(PACKAGE_FOLDER, 'dist/public/console/dashboards.js'), 'utf8'),
    style: STYLES.map((name) => readFileSync(join(PACKAGE_FOLDER, 'public/styles', `${name}.css`), 'utf8')).join('\n'),
  };
}
