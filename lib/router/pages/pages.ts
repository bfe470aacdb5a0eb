/** Pages for everybody, and the files that pages load. */
import { join } from 'node:path';
import { PACKAGE_FOLDER } from '../../base/files/package-folder.ts';
import { operation, type Routes } from '../route/route.ts';
import { textAnswer } from '../route/schema.ts';
import { docs, DOCS } from './docs.ts';
import { landing } from './landing.ts';
import { asPage } from './page-policy.ts';
import { staticFiles } from './static-files.ts';

/** Where the files that pages load are: handwritten, and built from sdk/. */
const PUBLIC = [join(PACKAGE_FOLDER, 'public'), join(PACKAGE_FOLDER, 'dist', 'public')];

const PAGES = { tags: ['pages'], security: [] };

export const PAGE_ROUTES: Routes = {
  '/': {
    get: operation(PAGES, 'landing', 'The landing page.', {
      ok: textAnswer('A page.', 'text/html'),
      handler: (services) => asPage(landing(services)),
    }),
  },
  [DOCS]: { get: { shown: null, handler: docs } },
  [`${DOCS}/*path`]: { get: { shown: null, handler: docs } },
  '/public/*path': {
    get: { shown: null, handler: ({ config, log }) => staticFiles(PUBLIC, config.data, log) },
  },
};
