/** How an endpoint is put on a path: its methods, and a 405 with `Allow` for all others. */
import type { Express, RequestHandler } from 'express';
import { AppError } from '../errors.ts';
import { answerPreflight, openToOrigins } from './cors.ts';

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** `open`: pages of any origin may call it. A handler's rejection becomes an error answer. */
export function addEndpoint(
  app: Express,
  path: string,
  { methods, open = false }: { methods: Partial<Readonly<Record<Method, RequestHandler>>>; open?: boolean },
): void {
  const route = app.route(path);
  const allowed: string[] = [];
  for (const method of METHODS) {
    const handler = methods[method];
    if (handler === undefined) continue;
    allowed.push(...(method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()]));
    route[method](open ? withOpenOrigins(handler) : handler);
  }
  route.all(otherMethod(allowed.join(', '), open));
}

const METHODS: readonly Method[] = ['get', 'post', 'put', 'patch', 'delete'];

function withOpenOrigins(handler: RequestHandler): RequestHandler {
  return (request, response, next) => {
    openToOrigins(response);
    return handler(request, response, next);
  };
}

function otherMethod(allow: string, open: boolean): RequestHandler {
  return (request, response) => {
    if (request.method === 'OPTIONS' && open) return answerPreflight(response);
    if (open) openToOrigins(response);
    response.setHeader('Allow', allow);
    if (request.method !== 'OPTIONS') throw new AppError('method_not_allowed', `This path takes ${allow}.`);
    response.writeHead(204);
    response.end();
  };
}
