/** Lists that are answered in pages, with the cursor of the next one in a header. */
import type { ServerResponse } from 'node:http';
import { AppError } from '../../base/errors.ts';
import { MAX_PAGE } from '../../control/storage/connection.ts';
import type { Request } from '../http/request.ts';
import { onlyParameter, queryParameters } from '../http/query-string.ts';
import { ANY_STRING, list, parameter } from './schema.ts';

export interface PageWanted {
  readonly limit: number;
  /** null: the first page. */
  readonly cursor: string | null;
}

export const PAGE_PARAMETERS = [
  parameter('limit', 'Entries of the page.', { type: 'integer', minimum: 1, maximum: MAX_PAGE, default: MAX_PAGE }),
  parameter('cursor', 'X-Next-Cursor of the page before.'),
];

/** The answer of such a route. @param schema Of an entry. */
export const pagesOf = (schema: Parameters<typeof list>[0]) => ({
  description: 'In order of creation.',
  headers: { 'X-Next-Cursor': { description: 'The next `cursor`; missing on the last page.', schema: ANY_STRING } },
  content: { 'application/json': { schema: list(schema) } },
});

/** The page that a request asks for. Throws AppError 400. */
export function pageOf(request: Request): PageWanted {
  const parameters = queryParameters(request);
  return { limit: limitOf(parameters, MAX_PAGE), cursor: onlyParameter(parameters, 'cursor') ?? null };
}

/** Call before the answer. @param next The cursor of the next page; null: there is none. */
export function tellNext(response: ServerResponse, next: string | null): void {
  if (next !== null) response.setHeader('X-Next-Cursor', next);
}

/** How many entries `limit` asks for, at most as many as a page has. @param usual Without it. Throws AppError 400. */
export function limitOf(parameters: URLSearchParams, usual: number): number {
  const limit = onlyParameter(parameters, 'limit') ?? String(usual);
  const size = /^\d{1,4}$/.test(limit) ? Number(limit) : 0;
  if (size >= 1 && size <= MAX_PAGE) return size;
  throw new AppError('bad_request', `limit must be a whole number from 1 to ${MAX_PAGE.toLocaleString('en')}`);
}
