/** The HTTP service as a whole: which endpoint is where. */
import type { RequestListener } from 'node:http';
import type { ErrorRequestHandler, Express } from 'express';
import express from 'express';
import { AppError } from '../base/errors.ts';
import { addApiEndpoints } from './api/api.ts';
import { addAuthEndpoints } from './auth/auth.ts';
import type { RouterContext } from './context.ts';
import { direct, type DirectHandler } from './http/direct.ts';
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
  const endpoints = beacons(context);
  return guard(context, direct(context, endpoints, createApp(context, endpoints)));
}

/** What pages and servers send all the time. */
function beacons(context: RouterContext): ReadonlyMap<string, DirectHandler> {
  return new Map([
    ['/track', track(context)],
    ['/identify', identify(context)],
  ]);
}

/** Every endpoint, without what happens around all of them. */
export function createApp(context: RouterContext, endpoints = beacons(context)): Express {
  const app = express();
  app.disable('x-powered-by').disable('etag').enable('case sensitive routing');
  for (const [path, post] of endpoints) addEndpoint(app, path, { methods: { post }, open: 'beacons' });
  addEndpoints(app, context);
  app.use(() => {
    throw new AppError('not_found', 'Not found.', { hints: ['GET /openapi.json lists the endpoints.'] });
  });
  app.use(errorHandler(context));
  return app;
}

/** Routes are tried in this order. */
function addEndpoints(app: Express, context: RouterContext): void {
  addEndpoint(app, '/query', { methods: { post: query(context) }, open: 'keys' });
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
  // Express knows an error handler by its four parameters.
  return (error: unknown, request, response, _next) =>
    answerError(request, response, { error, context, ...errorPage(request, response, context.config) });
}
