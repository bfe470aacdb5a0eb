/** Adds routes to express: the methods of each path, and a 405 with `Allow` for all others. */
import type { IRouter } from 'express';
import { AppError } from '../../base/errors.ts';
import type { RouterContext } from '../context.ts';
import type { RequestHandler } from '../http/request.ts';
import { answerPreflight, openToOrigins, type Openness } from '../http/cors.ts';
import type { Method, Operation, Routes } from './route.ts';

export function addRoutes(router: IRouter, services: RouterContext, routes: Routes): void {
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
