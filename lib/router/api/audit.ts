/** GET …/audit: who did what, newest first. */
import type { Request, RequestHandler } from 'express';
import { MAX_AUDIT_PAGE, type AuditFilter } from '../../control/audit.ts';
import { auditJson } from '../../control/json.ts';
import { AppError } from '../../base/errors.ts';
import { sendJson } from '../http/answer.ts';
import type { RouterContext } from '../context.ts';
import { onlyParameter, queryParameters } from '../http/query-string.ts';
import { DAY_MS, isDay } from '../../base/day.ts';

/** `organizationOf` throws for anyone who may not read it. */
export function readAudit(
  context: RouterContext,
  organizationOf: (request: Request) => Promise<string>,
): RequestHandler {
  return async (request, response) => {
    const page = await context.control.audit.page(await organizationOf(request), auditFilter(queryParameters(request)));
    if (page.nextCursor !== null) response.setHeader('X-Next-Cursor', page.nextCursor);
    sendJson(response, 200, page.entries.map(auditJson));
  };
}

/** The filter that a query string asks for. Throws AppError 400 for an invalid value. */
export function auditFilter(parameters: URLSearchParams): AuditFilter {
  const [from, to, limit, cursor] = ['from', 'to', 'limit', 'cursor'].map((name) => onlyParameter(parameters, name));
  const first = from === undefined ? null : moment('from', from);
  const last = to === undefined ? null : moment('to', to);
  if (first !== null && last !== null && first.start > last.start && first.start >= last.end) {
    throw new AppError('bad_request', `from (${from}) is after to (${to})`);
  }
  return {
    ...(first === null ? {} : { from: first.start }),
    ...(last === null ? {} : { to: last.end }),
    ...(limit === undefined ? {} : { limit: pageSize(limit) }),
    ...(cursor === undefined ? {} : { cursor: checkCursor(cursor) }),
  };
}

const DATE = /^\d{4}-\d\d-\d\d$/;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/;

/** A day (UTC) from its start to its end, or an instant. */
function moment(name: string, text: string): { start: number; end: number } {
  const time = DATE.test(text) || INSTANT.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time) || !isDay(text.slice(0, 'YYYY-MM-DD'.length))) {
    throw new AppError('bad_request', `${name} must be a date (YYYY-MM-DD) or a time such as 2026-01-31T12:00:00Z`);
  }
  return { start: time, end: DATE.test(text) ? time + DAY_MS : time };
}

function pageSize(text: string): number {
  const size = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (size >= 1 && size <= MAX_AUDIT_PAGE) return size;
  throw new AppError('bad_request', `limit must be a whole number from 1 to ${MAX_AUDIT_PAGE.toLocaleString('en')}`);
}

function checkCursor(text: string): string {
  if (/^\d{1,15}$/.test(text)) return text;
  throw new AppError('bad_request', 'cursor must be the X-Next-Cursor of the page before');
}
