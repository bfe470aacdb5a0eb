/** Wraps every request: headers of every answer, counting, and refusals during shutdown or maintenance. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { AppError } from '../base/errors.ts';
import { setHeaders, commonHeaders } from './http/answer.ts';
import type { RouterContext } from './context.ts';
import { opennessOf, openToOrigins } from './http/cors.ts';
import { answerError, requestId } from './answer-error.ts';

const ALWAYS_OPEN = /^\/(?:healthz|readyz)(?:\?|$)/;

type Guarding = Pick<RouterContext, 'config' | 'lifecycle' | 'load' | 'log' | 'metrics' | 'security' | 'webhooks'>;

/** Wraps the application. */
export function guard(context: Guarding, app: RequestListener): RequestListener {
  const { lifecycle, config } = context;
  const headers = commonHeaders(config.url).flat();
  return (request, response) => {
    cutSmallPieces(request);
    setHeaders(response, headers);
    const began = performance.now();
    lifecycle.enter();
    response.once('close', () => {
      lifecycle.leave();
      note(context, request, response, performance.now() - began);
    });
    const error = wrongHost(request) ?? wrongTarget(request) ?? closedDoor(context, request);
    if (lifecycle.draining) response.setHeader('Connection', 'close');
    if (error === null) return app(request, response);
    openToOrigins(request, response, opennessOf(request)); // a page that calls /track must be able to read this
    answerError(request, response, { error, context });
  };
}

/** A name or address with a port, as in a URI (RFC 3986, 3.2.2); empty if the target has none. */
const HOST = /^(?:\[[0-9a-f:.]+\]|[\w.~!$&'()*+,;=%-]*)(?::\d{0,5})?$/i;

/**
 * HTTP/1.1 requires a 400 for a missing, invalid or repeated Host header (RFC 9112, 3.2): a proxy in front may have decided by a
 * different one than we would.
 */
function wrongHost({ headers, httpVersion, rawHeaders }: IncomingMessage): AppError | null {
  const { host } = headers;
  if (host === undefined) {
    if (httpVersion === '1.0') return null;
    return new AppError('bad_request', 'The request has no Host header: send the name of this server.');
  }
  if (countHosts(rawHeaders) > 1) return new AppError('bad_request', 'The request has more than one Host header.');
  return HOST.test(host) ? null : new AppError('bad_request', 'The Host header is not a valid server name.');
}

function countHosts(rawHeaders: readonly string[]): number {
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? '';
    if (name.length === 'host'.length && name.toLowerCase() === 'host') hosts++;
  }
  return hosts;
}

/**
 * A target is a path, or in the form for proxies (RFC 9112, 3.2.2) an address, of which only the path matters here. The framework
 * would answer others with a page.
 */
function wrongTarget(request: IncomingMessage): AppError | null {
  const { url = '' } = request;
  if (url.startsWith('/')) return null;
  const address = /^https?:/i.test(url) ? URL.parse(url) : null;
  if (address === null) return new AppError('bad_request', 'The target of the request is no path: it starts with "/".');
  request.url = `${address.pathname}${address.search}`;
  return null;
}

function closedDoor({ lifecycle, config }: Guarding, request: IncomingMessage): AppError | null {
  if (!lifecycle.draining && !config.maintenance) return null;
  if (ALWAYS_OPEN.test(request.url ?? '')) return null;
  if (lifecycle.draining) return new AppError('shutting_down', 'The service is shutting down.');
  return new AppError('feature_disabled', 'The service is under maintenance.', { hints: ['Come back later.'] });
}

/** Counts an answer. Requests are logged only on demand: at full speed they would drown the log. */
function note({ metrics, load, log }: Guarding, request: IncomingMessage, response: ServerResponse, ms: number): void {
  const endpoint = endpointOf(request);
  const status = response.writableFinished ? response.statusCode : 499; // the client left first
  metrics.request(endpoint, status, ms / 1_000);
  load.answered(request, status);
  if (!log.isLevelEnabled('debug')) return;
  log.debug(
    { request: requestId(request), method: request.method, endpoint, status, ms: Math.round(ms * 10) / 10 },
    'answered',
  );
}

/** The route of a request, without its parameters: paths may hold ids of users. */
function endpointOf(request: IncomingMessage): string {
  if (!('route' in request) || typeof request.route !== 'object' || request.route === null) return 'none';
  return 'path' in request.route && typeof request.route.path === 'string' ? request.route.path : 'none';
}

/** Chunks of any size that a body may have, and the bytes for which it may have another. */
const FEW = 4_096;
const LEAST = 64;

/**
 * Cuts connections that send bodies in chunks of a byte each. A read of 64 KiB has ten thousand of them, and each is an object and a
 * turn of whoever reads the body: one connection kept the event loop busy, and a body of 5 MiB took gigabytes. Call before anybody
 * reads the request.
 */
function cutSmallPieces(request: IncomingMessage): void {
  if (request.headers['transfer-encoding'] === undefined) return; // else Node hands out what it has read as it came
  const push = request.push.bind(request);
  let pieces = 0;
  let bytes = 0;
  request.push = (piece: Buffer | null, encoding?: BufferEncoding): boolean => {
    if (piece === null) return push(piece, encoding);
    bytes += piece.length;
    if (++pieces <= FEW + bytes / LEAST) return push(piece, encoding);
    request.destroy();
    return false;
  };
}
