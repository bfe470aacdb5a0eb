import type { IncomingMessage } from 'node:http';

const NONE = new URLSearchParams();

/** The parameters of a request's query string. Most requests have none, and parse nothing. */
export function queryParameters(request: IncomingMessage): URLSearchParams {
  const url = request.url ?? '';
  const start = url.indexOf('?');
  return start < 0 ? NONE : new URLSearchParams(url.slice(start + 1));
}

/** A switch in the query string: `?report=true`, `?report=1` or `?report`. */
export function isSwitchedOn(request: IncomingMessage, name: string): boolean {
  const value = queryParameters(request).get(name);
  return value === '' || value === '1' || value === 'true';
}
