/** Adds an endpoint to a path: its methods, and a 405 with `Allow` for all others. */
import type { Express, RequestHandler } from 'express';
import { AppError } from '../base/errors.ts';
import { answerPreflight, openToOrigins, type Openness } from './http/cors.ts';

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

export type Methods = Partial<Readonly<Record<Method, RequestHandler>>>;

interface Endpoint {
  readonly methods: Methods;
  readonly open?: Openness | null;
  readonly head?: boolean;
}

/**
 * `open`: how pages of any origin may call it; null: not at all. `head`: whether HEAD is answered like GET; false where a GET
 * changes something, which mere link checkers must not trigger. A handler's rejection becomes an error answer.
 */
export function addEndpoint(app: Express, path: string, { methods, open = null, head = true }: Endpoint): void {
  const route = app.route(path);
  const taken = METHODS.filter((method) => methods[method] !== undefined);
  const allow = taken.flatMap((method) => (method === 'get' && head ? ['GET', 'HEAD'] : [method.toUpperCase()]));
  const other = otherMethod(allow.join(', '), open);
  if (!head) route.head(other); // else express lets GET answer it
  for (const method of taken) {
    const handler = methods[method];
    if (handler !== undefined) route[method](open === null ? handler : withOpenOrigins(handler, open));
  }
  route.all(other);
}

const METHODS: readonly Method[] = ['get', 'post', 'put', 'patch', 'delete'];

function withOpenOrigins(handler: RequestHandler, open: Openness): RequestHandler {
  return (request, response, next) => {
    openToOrigins(request, response, open);
    return handler(request, response, next);
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
