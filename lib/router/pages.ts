/** The pages that customers of a host see, and what they load. */
import { join } from 'node:path';
import type { Express } from 'express';
import { PACKAGE_FOLDER } from '../base/files/package-folder.ts';
import type { RouterContext } from './context.ts';
import { addEndpoint } from './endpoint.ts';
import { addConsole } from './pages/console/console.ts';
import { landing } from './pages/landing.ts';
import { language, LANGUAGE_PAGE } from './pages/language.ts';
import { llms } from './llms.ts';
import { login } from './auth/login-page.ts';
import { asPage } from './pages/page-policy.ts';
import { staticFiles } from './pages/static-files.ts';

/** Where the files that pages load are: handwritten, and built from sdk/. */
const PUBLIC = [join(PACKAGE_FOLDER, 'public'), join(PACKAGE_FOLDER, 'dist', 'public')];

export function addPageEndpoints(app: Express, context: RouterContext): void {
  addEndpoint(app, '/', { methods: { get: asPage(landing(context)) } });
  addEndpoint(app, '/login', { methods: { get: asPage(login(context)) } });
  addEndpoint(app, '/llms.txt', { methods: { get: llms(context) } });
  addEndpoint(app, LANGUAGE_PAGE, { methods: { get: language() } });
  addEndpoint(app, '/public/*path', { methods: { get: staticFiles(PUBLIC, context.config.data) } });
  addConsole(app, context);
}
