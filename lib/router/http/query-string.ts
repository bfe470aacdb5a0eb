import type { IncomingMessage } from 'node:http';
import { AppError } from '../../base/errors.ts';
import type { Request } from './request.ts';

const NONE = new URLSearchParams();

/** The parameters of a request's query string. Most requests have none, so nothing is parsed. */
export function queryParameters(request: IncomingMessage): URLSearchParams {
  const url = request.url ?? '';
  const start = url.indexOf('?');
  return start < 0 ? NONE : new URLSearchParams(url.slice(start + 1));
}

/** The path as sent, not decoded. */
export function pathOf({ url = '' }: IncomingMessage): string {
  const end = url.indexOf('?');
  return end < 0 ? url : url.slice(0, end);
}

/** The value of a parameter; throws AppError 400 if it is given twice, since either could be meant. */
export function onlyParameter(parameters: URLSearchParams, name: string): string | undefined {
  const [first, ...more] = parameters.getAll(name);
  if (more.length > 0) throw new AppError('bad_request', `${name} appears more than once in the query string.`);
  return first;
}

/** A switch in the query string: `?report=true`, `?report=1` or `?report`. */
export function isSwitchedOn(request: IncomingMessage, name: string): boolean {
  const value = queryParameters(request).get(name);
  return value === '' || value === '1' || value === 'true';
}

/** The decoded parameter `:name` of the request's route. */
export function pathParameter(request: Request, name: string): string {
  const value = request.params[name];
  if (typeof value !== 'string') throw new Error(`the route has no :${name}`);
  return value;
}

/**
 * The same of something that the control database has under this id. None has the character U+0000, for which PostgreSQL cannot
 * even be asked: throws AppError `not_found`.
 */
export function idParameter(request: Request, name: string): string {
  const id = pathParameter(request, name);
  if (id.includes('\0')) throw new AppError('not_found', 'There is nothing under such an id.');
  return id;
}

/** A browser that opens an address accepts HTML; a script or a program accepts anything, or JSON. */
export function acceptsPages({ headers }: IncomingMessage): boolean {
  return /\btext\/html\b/.test(headers.accept ?? '');
}
