/** The whole HTTP service: its endpoints and their paths. */
import type { RequestListener } from 'node:http';
import type { ErrorRequestHandler, Express } from 'express';
import express from 'express';
import { AppError } from '../base/errors.ts';
import { addApiEndpoints } from './api/api.ts';
import { addAuthEndpoints } from './auth/auth.ts';
import type { RouterContext } from './context.ts';
import { direct, type DirectEndpoint } from './http/direct.ts';
import { addEndpoint } from './endpoint.ts';
import { answerError } from './http/errors.ts';
import { addDashboardEndpoints } from './dashboards/dashboards.ts';
import { addGdprEndpoints } from './gdpr/gdpr.ts';
import { guard } from './http/guard.ts';
import { healthz, readyz } from './health.ts';
import { identify } from './ingest/identify.ts';
import { openapi } from './openapi/openapi.ts';
import { errorPage } from './pages/error-page.ts';
import { addPageEndpoints } from './pages.ts';
import { query } from './query/query.ts';
import { track } from './ingest/track.ts';

/** The listener of an HTTP server. */
export function createListener(context: RouterContext): RequestListener {
  const endpoints = directEndpoints(context);
  return guard(context, direct(context, endpoints, createApp(context, endpoints)));
}

/** The frequent requests. */
function directEndpoints(context: RouterContext): ReadonlyMap<string, DirectEndpoint> {
  return new Map<string, DirectEndpoint>([
    ['/track', { post: track(context), open: 'beacons' }],
    ['/identify', { post: identify(context), open: 'beacons' }],
    ['/query', { post: query(context), open: 'keys' }],
  ]);
}

/** Every endpoint, without what wraps all of them. */
export function createApp(context: RouterContext, endpoints = directEndpoints(context)): Express {
  const app = express();
  app.disable('x-powered-by').disable('etag').enable('case sensitive routing');
  for (const [path, { post, open }] of endpoints) addEndpoint(app, path, { methods: { post }, open });
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
  addEndpoint(app, '/healthz', { methods: { get: healthz() } });
  addEndpoint(app, '/readyz', { methods: { get: readyz(context) } });
  addEndpoint(app, '/openapi.json', { methods: { get: openapi(context) } });
  addPageEndpoints(app, context);
}

function errorHandler(context: RouterContext): ErrorRequestHandler {
  // Express recognizes an error handler by its four parameters.
  return (error: unknown, request, response, _next) =>
    answerError(request, response, { error, context, ...errorPage(request, response, context.config) });
}
