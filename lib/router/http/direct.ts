/** The hot path: requests plainly for one of a few endpoints skip the framework. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { RouterContext } from '../context.ts';
import { acceptsPages, pathOf } from './query-string.ts';
import { sendAlong, setHeaders } from './answer.ts';
import { commonHeaders } from './common-headers.ts';
import { openHeaders, type Openness } from './cors.ts';
import { answerError } from './errors.ts';

/** Needs nothing from the framework. */
export type DirectHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

export interface DirectEndpoint {
  readonly method: 'get' | 'post';
  readonly answer: DirectHandler;
  /** To pages of any origin. */
  readonly open: Openness | null;
}

/** On a request: a separate map would be one more thing to collect for each. */
const TAKEN = Symbol('the path of the endpoint that took it');

declare module 'node:http' {
  interface IncomingMessage {
    [TAKEN]?: string;
  }
}

/** The path of the endpoint that handled a request directly. */
export function directPath(request: IncomingMessage): string | undefined {
  return request[TAKEN];
}

/** Answers POST, and GET of programs: people get pages. Paths must be spelt as in `endpoints`, with or without a query string. */
export function direct(
  context: RouterContext,
  endpoints: ReadonlyMap<string, DirectEndpoint>,
  app: RequestListener,
): RequestListener {
  const common = commonHeaders(context.config.url).flat();
  const plain = {
    beacons: [...common, ...openHeaders('beacons', undefined)],
    keys: [...common, ...openHeaders('keys', undefined)],
    no: common,
  } as const;
  return (request, response) => {
    const path = pathOf(request);
    const endpoint = endpoints.get(path);
    if (endpoint === undefined || !isFor(request, endpoint)) {
      setHeaders(response, common);
      return app(request, response);
    }
    request[TAKEN] = path;
    const { origin } = request.headers;
    const { open } = endpoint;
    const headers =
      origin === undefined || open === null ? plain[open ?? 'no'] : [...common, ...openHeaders(open, origin)];
    sendAlong(response, headers);
    endpoint.answer(request, response).catch((error: unknown) => answerError(request, response, { error, context }));
  };
}

function isFor(request: IncomingMessage, { method }: DirectEndpoint): boolean {
  if (method === 'post') return request.method === 'POST';
  return request.method === 'GET' && !acceptsPages(request);
}
