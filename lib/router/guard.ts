/** What happens around every request: headers of every answer, counting, and the doors that a shutdown or maintenance closes. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { AppError } from '../errors.ts';
import { VERSION } from '../version.ts';
import type { RouterContext } from './context.ts';
import { openToOrigins } from './cors.ts';
import { answerError } from './errors.ts';
import { requestId } from './request-id.ts';

const ALWAYS_OPEN = /^\/(?:healthz|readyz)(?:\?|$)/;

/** Wraps the application. */
export function guard(context: RouterContext, app: RequestListener): RequestListener {
  const { lifecycle, log } = context;
  return (request, response) => {
    const began = performance.now();
    lifecycle.enter();
    response.once('close', () => {
      lifecycle.leave();
      note(context, request, response, performance.now() - began);
    });
    setCommonHeaders(response);
    const error = withoutHost(request) ?? closedDoor(context, request);
    if (lifecycle.draining) response.setHeader('Connection', 'close');
    if (error === null) return app(request, response);
    openToOrigins(response); // /track from a page must be able to read this too
    answerError(request, response, { error, log });
  };
}

/** Headers of every answer. None of our answers is a page: endpoints that serve some replace the policy. */
export function setCommonHeaders(response: ServerResponse): void {
  response.setHeader('X-Windlass-Version', VERSION);
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.setHeader('Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'");
  response.setHeader('Referrer-Policy', 'no-referrer');
  response.setHeader('Cache-Control', 'no-store');
}

/** HTTP/1.1 asks for a 400. */
function withoutHost({ headers, httpVersion }: IncomingMessage): AppError | null {
  if (headers.host !== undefined || httpVersion === '1.0') return null;
  return new AppError('bad_request', 'The request has no header Host: it takes the name of this server.');
}

function closedDoor({ lifecycle, config }: RouterContext, request: IncomingMessage): AppError | null {
  if (!lifecycle.draining && !config.maintenance) return null;
  if (ALWAYS_OPEN.test(request.url ?? '')) return null;
  if (lifecycle.draining) return new AppError('shutting_down', 'The service is shutting down.');
  return new AppError('feature_disabled', 'The service is under maintenance.', { hints: ['Come back later.'] });
}

/** Counts an answer. The log has requests only when it is asked for them: at full speed they would drown it. */
function note({ metrics, log }: RouterContext, request: IncomingMessage, response: ServerResponse, ms: number): void {
  const endpoint = endpointOf(request);
  const status = response.writableFinished ? response.statusCode : 499; // the client went first
  metrics.request(endpoint, status, ms / 1_000);
  if (!log.isLevelEnabled('debug')) return;
  log.debug(
    { request: requestId(request), method: request.method, endpoint, status, ms: Math.round(ms * 10) / 10 },
    'answered',
  );
}

/** The route that took a request, without what stands in it: paths may hold ids of users. */
function endpointOf(request: IncomingMessage): string {
  if (!('route' in request) || typeof request.route !== 'object' || request.route === null) return 'none';
  return 'path' in request.route && typeof request.route.path === 'string' ? request.route.path : 'none';
}
