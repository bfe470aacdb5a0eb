/** The hot path: requests plainly for one of a few endpoints skip the framework. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { RouterContext } from '../context.ts';
import { sendAlong, setHeaders } from './answer.ts';
import { commonHeaders } from './common-headers.ts';
import { openHeaders, type Openness } from './cors.ts';
import { answerError } from './errors.ts';

/** An endpoint for POST that needs nothing from the framework. */
export type DirectHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

export interface DirectEndpoint {
  readonly post: DirectHandler;
  /** To pages of any origin. */
  readonly open: Openness;
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

/** Paths must be spelt as in `endpoints`, with or without a query string; the framework handles other spellings. */
export function direct(
  context: RouterContext,
  endpoints: ReadonlyMap<string, DirectEndpoint>,
  app: RequestListener,
): RequestListener {
  const common = commonHeaders(context.config.url).flat();
  const plain = {
    beacons: [...common, ...openHeaders('beacons', undefined)],
    keys: [...common, ...openHeaders('keys', undefined)],
  } as const;
  return (request, response) => {
    const path = request.method === 'POST' ? pathOf(request.url ?? '') : '';
    const endpoint = endpoints.get(path);
    if (endpoint === undefined) {
      setHeaders(response, common);
      return app(request, response);
    }
    request[TAKEN] = path;
    const { origin } = request.headers;
    sendAlong(
      response,
      origin === undefined ? plain[endpoint.open] : [...common, ...openHeaders(endpoint.open, origin)],
    );
    endpoint.post(request, response).catch((error: unknown) => answerError(request, response, { error, context }));
  };
}

function pathOf(url: string): string {
  const query = url.indexOf('?');
  return query < 0 ? url : url.slice(0, query);
}
