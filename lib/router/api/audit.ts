/** GET …/audit: who did what, newest first. */
import type { ServerResponse } from 'node:http';
import type { Request } from '../http/request.ts';
import { AUDIT_KINDS, auditFilter } from '../audit-filter.ts';
import { HOST_AUDIT } from '../../control/operator-keys.ts';
import { AUDIT_ACTIONS, type AuditEntry } from '../../control/types.ts';
import { csvLine } from '../../base/text/csv-text.ts';
import { CSV_TYPE, sendWritten } from '../http/answer.ts';
import { formatOf } from './usage.ts';
import { auditJson } from '../../control/json.ts';
import { AppError } from '../../base/errors.ts';
import type { RouterContext } from '../context.ts';
import { queryParameters } from '../http/query-string.ts';
import { managed } from '../route/managed.ts';
import type { Routes } from '../route/route.ts';
import { also, component, list, parameter, ANY_STRING, STRING_OR_NULL, DATE_TIME, objectOf } from '../route/schema.ts';
import { ADMIN, admitMember, admitOperator, OPERATOR, SESSION } from './doors.ts';
import { MAX_PAGE } from '../../control/storage/connection.ts';

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
      target: { type: 'string', description: 'An id, or the address of a member; people appear as a keyed hash.' },
      ip: { ...STRING_OR_NULL, description: 'null: the server itself, or that of a login is not told.' },
    }),
  ),
);

const AUDIT_TIME = { type: 'string', description: 'YYYY-MM-DD, or a time with its offset.' };

/** Of all ways to read it. */
const AUDIT = {
  parameters: [
    parameter('actor', 'Part of who did it, in any case.'),
    parameter('action', 'An action, or the part before its dot: `key.rotate`, `key`.', {
      enum: [...AUDIT_KINDS, ...AUDIT_ACTIONS],
    }),
    parameter('from', 'Included.', AUDIT_TIME),
    parameter('to', 'A day is included, a time is not.', AUDIT_TIME),
    parameter('format', 'As CSV, all entries that match, at most 100,000.', { enum: ['json', 'csv'], default: 'json' }),
    parameter('limit', 'Entries of the page.', { type: 'integer', minimum: 1, maximum: MAX_PAGE, default: 100 }),
    parameter('cursor', 'X-Next-Cursor of the page before.'),
  ],
  ok: {
    description: 'Entries.',
    headers: { 'X-Next-Cursor': { description: 'The next `cursor`; missing on the last page.', schema: ANY_STRING } },
    content: { 'application/json': { schema: list(ENTRY) }, 'text/csv': { schema: ANY_STRING } },
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
  '/operator/orgs/{orgID}/audit': {
    get: managed(OPERATOR, 'readOperatorAudit', 'Reads the audit trail of an organization, newest first.', {
      ...AUDIT,
      admit: OPERATOR.organization('read'),
      answer: (services, { orgId }, request, response) => auditPage(services, orgId, request, response),
    }),
  },
  '/operator/audit': {
    get: managed(OPERATOR, 'readHostAudit', 'Reads what was done to operator keys, newest first.', {
      ...AUDIT,
      admit: admitOperator,
      answer: (services, _by, request, response) => auditPage(services, HOST_AUDIT, request, response),
    }),
  },
};

async function auditPage(
  { control }: Pick<RouterContext, 'control'>,
  orgId: string,
  request: Request,
  response: ServerResponse,
) {
  const parameters = queryParameters(request);
  if (formatOf(request) === 'csv') {
    for (const name of ['limit', 'cursor'])
      if (parameters.has(name)) throw new AppError('bad_request', `${name} is for JSON: CSV has all entries.`);
    response.setHeader('Content-Disposition', 'attachment; filename="audit.csv"');
    return sendWritten(response, CSV_TYPE, csvOf(control.audit.pages(orgId, auditFilter(parameters))));
  }
  const page = await control.audit.page(orgId, auditFilter(parameters));
  if (page.nextCursor !== null) response.setHeader('X-Next-Cursor', page.nextCursor);
  return page.entries.map(auditJson);
}

const COLUMNS = ['at', 'actor', 'action', 'target', 'ip', 'changes'] as const;

async function* csvOf(pages: AsyncIterable<readonly AuditEntry[]>): AsyncGenerator<string> {
  yield `${csvLine(COLUMNS)}\r\n`;
  for await (const entries of pages) yield entries.map((entry) => `${csvLine(cellsOf(entry))}\r\n`).join('');
}

const cellsOf = ({ at, actor, action, target, ip, changes }: AuditEntry) =>
  [new Date(at).toISOString(), actor, action, target, ip, changes === null ? null : JSON.stringify(changes)] as const;
