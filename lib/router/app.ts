/** All endpoints and their paths. */
import { join } from 'node:path';
import type { ErrorRequestHandler, Express, RequestHandler } from 'express';
import express from 'express';
import { AppError } from '../base/errors.ts';
import { PACKAGE_FOLDER } from '../base/files/package-folder.ts';
import { addApiEndpoints } from './api/api.ts';
import { addAuthEndpoints, login } from './auth/auth.ts';
import type { RouterContext } from './context.ts';
import { addEndpoint } from './endpoint.ts';
import { jsonHandler } from './http/answer.ts';
import { answerError } from './http/errors.ts';
import { addDashboardEndpoints } from './dashboards/dashboards.ts';
import { addGdprEndpoints } from './gdpr/gdpr.ts';
import { frequentEndpoints } from './frequent-endpoints.ts';
import { llms } from './llms.ts';
import { openapi } from './openapi/openapi.ts';
import { addConsole } from './pages/console/console.ts';
import { errorPage } from './pages/error-page.ts';
import { landing } from './pages/landing.ts';
import { language, LANGUAGE_PAGE } from './pages/docs-page.ts';
import { asPage } from './pages/page-policy.ts';
import { staticFiles } from './pages/static-files.ts';

/** Where the files that pages load are: handwritten, and built from sdk/. */
const PUBLIC = [join(PACKAGE_FOLDER, 'public'), join(PACKAGE_FOLDER, 'dist', 'public')];

/** Every endpoint, without what wraps all of them (listener.ts). */
export function createApp(context: RouterContext, endpoints = frequentEndpoints(context)): Express {
  const app = express();
  app.disable('x-powered-by').disable('etag').enable('case sensitive routing');
  for (const [path, { method, answer, open }] of endpoints)
    addEndpoint(app, path, { methods: { [method]: answer }, open });
  addEndpoints(app, context);
  app.use(() => {
    throw new AppError('not_found', 'Not found.', { hints: ['GET /openapi.json lists the endpoints.'] });
  });
  app.use(errorHandler(context));
  return app;
}

/** Routes are tried in this order. */
function addEndpoints(app: Express, context: RouterContext): void {
  app.use(context.sessions.middleware());
  addApiEndpoints(app, context);
  addGdprEndpoints(app, context);
  addDashboardEndpoints(app, context);
  addAuthEndpoints(app, context);
  addEndpoint(app, '/key', { methods: { get: showKey(context) } });
  addEndpoint(app, '/openapi.json', { methods: { get: openapi(context) } });
  addEndpoint(app, '/', { methods: { get: asPage(landing(context)) } });
  addEndpoint(app, '/login', { methods: { get: asPage(login(context)) } });
  addEndpoint(app, '/llms.txt', { methods: { get: llms(context) } });
  addEndpoint(app, LANGUAGE_PAGE, { methods: { get: language() } });
  addEndpoint(app, '/public/*path', { methods: { get: staticFiles(PUBLIC, context.config.data, context.log) } });
  addConsole(app, context);
}

function errorHandler(context: RouterContext): ErrorRequestHandler {
  // Express recognizes an error handler by its four parameters.
  return (error: unknown, request, response, _next) =>
    answerError(request, response, { error, context, ...errorPage(request, response, context.config) });
}

/** GET /key: what the key of the request is, and what it may do. */
function showKey({ gatekeeper, clients }: RouterContext): RequestHandler {
  return jsonHandler(
    (request) => gatekeeper.identify(request, clients.of(request).ip),
    (credential) =>
      credential.kind === 'org_admin'
        ? { kind: credential.kind, project_id: null, scopes: [] }
        : { kind: credential.kind, project_id: credential.project.id, scopes: credential.scopes },
  );
}
