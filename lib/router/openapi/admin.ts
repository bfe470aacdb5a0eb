/** What /openapi.json says of the organization that an admin key is of. */
import { INVITE_SCHEMA, REMOVE_SCHEMA } from '../api/account-bodies.ts';
import { AUDIT_PARAMETERS, AUDIT_RESPONSE } from './accounts.ts';
import { errors } from './errors.ts';
import { COUNT, json, jsonBody, KEYED, ref, TIME } from './parts.ts';

const ADMIN = { tags: ['admin'], security: [{ adminKey: [] }] };
const DAY = { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\d$' };
const LIMIT = { anyOf: [COUNT, { type: 'null' }], description: 'null: none.' };

export const ADMIN_PATHS = {
  '/api/admin/organization': {
    get: {
      operationId: 'getAdminOrganization',
      summary: 'Shows the organization of the key.',
      ...ADMIN,
      responses: { '200': json('The organization.', ref('AdminOrganization')), ...errors(401, 403, 429) },
    },
  },
  '/api/admin/members': {
    get: {
      operationId: 'listAdminMembers',
      summary: 'Lists members in order of joining, then invitations.',
      ...ADMIN,
      responses: {
        '200': json('Members and invitations.', { type: 'array', items: ref('Member') }),
        ...errors(401, 403, 429),
      },
    },
    post: {
      operationId: 'inviteAdminMember',
      summary: "Invites an e-mail address, or changes a member's role. Cannot manage owners.",
      ...ADMIN,
      ...KEYED,
      requestBody: jsonBody(INVITE_SCHEMA),
      responses: {
        '200': json('Was there already, and has the role now.', ref('Member')),
        '201': json('Invited: joins with the first login with that address.', ref('Member')),
        ...errors(400, 401, 403, 409, 413, 429),
      },
    },
    delete: {
      operationId: 'removeAdminMember',
      summary: 'Removes a member or an invitation, but not owners. Access ends at once.',
      ...ADMIN,
      requestBody: jsonBody(REMOVE_SCHEMA),
      responses: { '200': json('`id` is the address.', ref('Deleted')), ...errors(400, 401, 403, 404, 413, 429) },
    },
  },
  '/api/admin/usage': {
    get: {
      operationId: 'getAdminUsage',
      summary: 'Daily usage (UTC) of each project, including deleted ones, and the monthly bills.',
      ...ADMIN,
      parameters: [
        { name: 'from', in: 'query', description: 'First day; defaults to the first of the month.', schema: DAY },
        { name: 'to', in: 'query', description: 'Last day; defaults to today.', schema: DAY },
        {
          name: 'format',
          in: 'query',
          description: 'JSON, or lines of CSV: days, then months.',
          schema: { enum: ['json', 'csv'], default: 'json' },
        },
      ],
      responses: {
        '200': {
          description: 'A row per project and active day, and the months.',
          content: {
            'application/json': { schema: ref('UsageByProject') },
            'text/csv': { schema: { type: 'string' } },
          },
        },
        ...errors(400, 401, 403, 429),
      },
    },
  },
  '/api/admin/audit': {
    get: {
      operationId: 'readAdminAudit',
      summary: 'Reads the audit trail, newest first.',
      ...ADMIN,
      parameters: AUDIT_PARAMETERS,
      responses: { '200': AUDIT_RESPONSE, ...errors(400, 401, 403, 429) },
    },
  },
};

export const ADMIN_SCHEMAS = {
  AdminOrganization: whole({
    id: { type: 'string', pattern: '^org_' },
    name: { type: 'string' },
    created_at: TIME,
    limits: whole({ projects: LIMIT, events_per_month: LIMIT, weight: { type: 'integer', minimum: 1 } }),
  }),
  UsageByProject: whole({
    days: {
      type: 'array',
      items: whole({
        date: DAY,
        project_id: { type: 'string', pattern: '^prj_' },
        project_name: { type: ['string', 'null'], description: 'null: it was deleted.' },
        ...{ events_ingested: COUNT, events_stored: COUNT, events_rejected: COUNT, events_duplicate: COUNT },
        ...{ events_dropped: COUNT, queries_run: COUNT, query_ms: COUNT },
      }),
    },
    months: { type: 'array', items: ref('UsageMonth') },
  }),
};

function whole(properties: Readonly<Record<string, unknown>>): object {
  return { type: 'object', required: Object.keys(properties), properties };
}
