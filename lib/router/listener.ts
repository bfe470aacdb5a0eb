/** The whole HTTP service: all routes in the router of express, and what wraps them. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { type ErrorRequestHandler, type RequestHandler, Router } from 'express';
import { AppError } from '../base/errors.ts';
import { spareDescriptors } from '../base/files/spare-descriptors.ts';
import { answerError } from './answer-error.ts';
import type { RouterContext } from './context.ts';
import { guard } from './guard.ts';
import { HEALTH_ROUTES } from './health.ts';
import { acceptsPages } from './http/query-string.ts';
import { INGEST_ROUTES } from './ingest/ingest.ts';
import { QUERY_ROUTES } from './query/query.ts';
import { addRoutes } from './route/add-routes.ts';

/** A router adds itself what handlers of express expect of a request. */
interface Routing {
  handle(request: IncomingMessage, response: ServerResponse, next: (error: unknown) => void): unknown;
}

/**
 * The listener of an HTTP server. The router alone: an application of express would give each request and answer another prototype,
 * which takes as long as all else that it does.
 */
export function createListener(context: RouterContext): RequestListener {
  const router = Router({ caseSensitive: true });
  addRoutes(router, context, { ...INGEST_ROUTES, ...QUERY_ROUTES, ...HEALTH_ROUTES });
  router.use(otherRoutes(context));
  router.use(() => {
    throw new AppError('not_found', 'Not found.', { hints: ['GET /openapi.json lists the endpoints.'] });
  });
  router.use(errorHandler(context));
  const routing: Routing = { handle: router };
  return guard(context, (request, response) =>
    routing.handle(request, response, (error) => answerError(request, response, { error, context })),
  );
}

/** All other routes. They are loaded with the first request: they take a quarter of a start, and most services need few. */
function otherRoutes(context: RouterContext): RequestHandler {
  let loaded: Router | null = null;
  const giveSpare = spareDescriptors();
  const load = async (): Promise<Router> => {
    giveSpare();
    const { OTHER_ROUTES } = await import('./routes.ts');
    if (loaded !== null) return loaded; // two requests came at once
    const router = Router({ caseSensitive: true });
    router.use(context.sessions.middleware());
    addRoutes(router, context, OTHER_ROUTES);
    return (loaded = router);
  };
  return async (request, response, next) => {
    const router = loaded ?? (await load());
    router(request, response, next);
  };
}

/** Answers errors: with a page where people ask for one. */
function errorHandler(context: RouterContext): ErrorRequestHandler {
  // Express recognizes an error handler by its four parameters.
  return async (error: unknown, request, response, _next) => {
    const pages = acceptsPages(request) ? await import('./pages/error-page.ts') : null;
    answerError(request, response, { error, context, ...pages?.errorPage(request, response, context.config) });
  };
}
