/** The whole HTTP service: all routes in the router of express, and what wraps them. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { type ErrorRequestHandler, type RequestHandler as Middleware, Router, type IRouter } from 'express';
import { AppError } from '../base/errors.ts';
import { answerError } from './answer-error.ts';
import type { RouterContext } from './context.ts';
import { guard } from './guard.ts';
import { HEALTH_ROUTES } from './health.ts';
import { acceptsPages } from './http/query-string.ts';
import { INGEST_ROUTES } from './ingest/ingest.ts';
import { QUERY_ROUTES } from './query/query.ts';
import fs from 'node:fs';
import os from 'node:os';
import type { RequestHandler } from './http/request.ts';
import { answerPreflight, openToOrigins, type Openness } from './http/cors.ts';
import type { Method, Operation, Routes } from './route/route.ts';

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
function otherRoutes(context: RouterContext): Middleware {
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

/**
 * Keeps descriptors for what must not fail for want of one: a module that could not be loaded stays unloaded until the process ends.
 * Call what is returned, once, right before they are needed.
 */
function spareDescriptors(): () => void {
  // Files that are open at once while modules are loaded.
  const taken = Array.from({ length: 8 }, () => fs.openSync(os.devNull, 'r'));
  return () => {
    for (const fd of taken.splice(0)) fs.closeSync(fd);
  };
}

/** Adds the methods of each path, and a 405 with `Allow` for all others. */
function addRoutes(router: IRouter, services: RouterContext, routes: Routes): void {
  for (const [path, operations] of Object.entries(routes)) {
    const route = router.route(path.replaceAll(/\{(\w+)\}/g, ':$1'));
    const taken = METHODS.flatMap((method) => operations[method] ?? []);
    const [open = null] = taken.flatMap((one) => one.open ?? []);
    const other = otherMethod(METHODS.flatMap((method) => namesOf(method, operations[method])).join(', '), open);
    if (taken.some(({ head }) => head === false)) route.head(other); // else express lets GET answer it
    for (const method of METHODS) {
      const handler = operations[method]?.handler(services);
      if (handler !== undefined) route[method](open === null ? handler : withOpenOrigins(handler, open));
    }
    route.all(other);
  }
}

const METHODS: readonly Method[] = ['get', 'post', 'put', 'patch', 'delete'];

function namesOf(method: Method, operation: Operation | undefined): readonly string[] {
  if (operation === undefined) return [];
  return method === 'get' && operation.head !== false ? ['GET', 'HEAD'] : [method.toUpperCase()];
}

function withOpenOrigins(handler: RequestHandler, open: Openness): RequestHandler {
  return (request, response) => {
    openToOrigins(request, response, open);
    return handler(request, response);
  };
}

function otherMethod(allow: string, open: Openness | null): RequestHandler {
  return (request, response) => {
    if (request.method === 'OPTIONS' && open !== null) return answerPreflight(request, response, open);
    if (open !== null) openToOrigins(request, response, open);
    response.setHeader('Allow', allow);
    if (request.method !== 'OPTIONS') throw new AppError('method_not_allowed', `This path accepts ${allow}.`);
    response.writeHead(204);
    response.end();
  };
}
