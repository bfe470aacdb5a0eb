/** GET …/audit: who did what, newest first. */
import type { ServerResponse } from 'node:http';
import type { Request } from '../http/request.ts';
import { MAX_AUDIT_PAGE, type AuditFilter } from '../../control/audit.ts';
import { auditJson } from '../../control/json.ts';
import { AppError } from '../../base/errors.ts';
import type { RouterContext } from '../context.ts';
import { onlyParameter, queryParameters } from '../http/query-string.ts';
import { DAY_MS, isDay } from '../../base/day.ts';
import { managed } from '../route/managed.ts';
import type { Routes } from '../route/route.ts';
import { also, component, list, parameter, ANY_STRING, STRING_OR_NULL, DATE_TIME, objectOf } from '../route/schema.ts';
import { ADMIN, admitMember, SESSION } from './doors.ts';

const CHANGED = { type: ['string', 'number', 'null'] };

const ENTRY = component(
  'AuditEntry',
  also(
    {
      changes: {
        type: 'object',
        additionalProperties: objectOf({ from: CHANGED, to: CHANGED }),
        description: 'Of updates: the fields that changed, with their old and new values.',
      },
    },
    objectOf({
      id: ANY_STRING,
      at: DATE_TIME,
      actor: { type: 'string', description: 'An e-mail address, `token:…`, `secret:…`, `wl admin` and the like.' },
      action: { type: 'string', examples: ['login', 'key.rotate', 'project.update'] },
      target: { type: 'string', description: 'An id, or the address of a member; users appear as a keyed hash.' },
      ip: { ...STRING_OR_NULL, description: 'null: the server itself, or that of a login is not told.' },
    }),
  ),
);

const AUDIT_TIME = { type: 'string', description: 'YYYY-MM-DD, or a time with its offset.' };

/** Of both ways to read it. */
const AUDIT = {
  parameters: [
    parameter('from', 'Included.', AUDIT_TIME),
    parameter('to', 'A day is included, a time is not.', AUDIT_TIME),
    parameter('limit', 'Entries of the page.', { type: 'integer', minimum: 1, maximum: MAX_AUDIT_PAGE, default: 100 }),
    parameter('cursor', 'X-Next-Cursor of the page before.'),
  ],
  ok: {
    description: 'Entries.',
    headers: { 'X-Next-Cursor': { description: 'The next `cursor`; missing on the last page.', schema: ANY_STRING } },
    content: { 'application/json': { schema: list(ENTRY) } },
  },
};

export const AUDIT_ROUTES: Routes = {
  '/api/orgs/{orgID}/audit': {
    get: managed(SESSION, 'readAudit', 'Reads the audit trail, newest first. Admins.', {
      ...AUDIT,
      admit: admitMember('read', 'admin'),
      fails: [403],
      answer: (services, { organization }, request, response) =>
        auditPage(services, organization.id, request, response),
    }),
  },
  '/api/admin/audit': {
    get: managed(ADMIN, 'readAdminAudit', 'Reads the audit trail, newest first.', {
      ...AUDIT,
      admit: ADMIN.organization('read'),
      answer: (services, { orgId }, request, response) => auditPage(services, orgId, request, response),
    }),
  },
};

async function auditPage(
  { control }: Pick<RouterContext, 'control'>,
  orgId: string,
  request: Request,
  response: ServerResponse,
) {
  const page = await control.audit.page(orgId, auditFilter(queryParameters(request)));
  if (page.nextCursor !== null) response.setHeader('X-Next-Cursor', page.nextCursor);
  return page.entries.map(auditJson);
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
