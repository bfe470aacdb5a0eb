/** What /openapi.json says of sessions, organizations and their members. */
import { ROLES } from '../../control/types.ts';
import { INVITE_SCHEMA, ORGANIZATION_SCHEMA, REMOVE_SCHEMA } from '../api/account-bodies.ts';
import { errors } from './errors.ts';
import { COUNT, json, jsonBody, pathId, ref, TIME } from './parts.ts';

const SESSION = { tags: ['session'], security: [{ session: [] }] };
const LOGIN = { tags: ['login'], security: [] };

const ORG_ID = pathId('orgID', 'Id of the organization, org_…');
const SEE_OTHER = {
  description: 'Redirect to `Location`.',
  headers: { Location: { description: 'A path of this service.', required: true, schema: { type: 'string' } } },
};

const AUDIT_TIME = { type: 'string', description: 'YYYY-MM-DD, or a time with its offset.' };

/** Of both ways to read the audit trail. */
export const AUDIT_PARAMETERS = [
  query('from', 'Included.', AUDIT_TIME),
  query('to', 'A day is included, a time is not.', AUDIT_TIME),
  query('limit', 'Entries of the page.', { type: 'integer', minimum: 1, maximum: 1000, default: 100 }),
  query('cursor', 'X-Next-Cursor of the page before.', { type: 'string' }),
];

export const AUDIT_RESPONSE = {
  description: 'Entries.',
  headers: {
    'X-Next-Cursor': { description: 'The next `cursor`; missing on the last page.', schema: { type: 'string' } },
  },
  content: { 'application/json': { schema: list(ref('AuditEntry')) } },
};

export const ACCOUNT_PATHS = {
  '/auth/link': { get: linkPage(), post: linkUse() },
  '/auth/logout': { post: logout() },
  '/api/session': { get: session() },
  '/api/sessions': { get: sessions(), delete: endOthers() },
  '/api/sessions/{sessionID}': { parameters: [pathId('sessionID', 'Id of the session, ses_…')], delete: endSession() },
  '/api/orgs': { get: organizations(), post: newOrganization() },
  '/api/orgs/{orgID}': { parameters: [ORG_ID], get: organization() },
  '/api/orgs/{orgID}/rotate-admin-key': { parameters: [ORG_ID], post: adminKeyRotation() },
  '/api/orgs/{orgID}/members': { parameters: [ORG_ID], get: members(), post: invitation(), delete: removal() },
  '/api/orgs/{orgID}/audit': { parameters: [ORG_ID], get: audit() },
  '/api/orgs/{orgID}/usage': { parameters: [ORG_ID], get: usage() },
};

function linkPage(): object {
  return {
    operationId: 'showLoginLink',
    summary: 'The page of a login link: a button posts its token. Opening the page changes nothing.',
    ...LOGIN,
    parameters: [query('token', 'As it stands in the link.', { type: 'string' })],
    responses: {
      '200': { description: 'A page.', content: { 'text/html': { schema: { type: 'string' } } } },
      ...errors(),
    },
  };
}

function linkUse(): object {
  const schema = { type: 'object', required: ['token'], properties: { token: { type: 'string' } } };
  return {
    operationId: 'useLoginLink',
    summary: 'Logs in with a link, once: sets wl_session, or redirects to /login?error=link.',
    ...LOGIN,
    requestBody: { required: true, content: { 'application/x-www-form-urlencoded': { schema } } },
    responses: { '303': SEE_OTHER, ...errors(400, 403, 413, 429) },
  };
}

function logout(): object {
  return {
    operationId: 'logout',
    summary: 'Ends the session. Browsers are redirected to /login.',
    ...LOGIN,
    responses: { '200': json('Nobody is logged in any more.', ref('LoggedOut')), '303': SEE_OTHER, ...errors(403) },
  };
}

function session(): object {
  return {
    operationId: 'getSession',
    summary: 'Shows the current account.',
    ...SESSION,
    responses: { '200': json('The account.', ref('Session')), ...errors(401, 429) },
  };
}

function sessions(): object {
  return {
    operationId: 'listSessions',
    summary: 'Lists the sessions of the account.',
    ...SESSION,
    responses: { '200': json('The last used first.', list(ref('BrowserSession'))), ...errors(401, 429) },
  };
}

function endOthers(): object {
  return {
    operationId: 'endOtherSessions',
    summary: 'Ends all other sessions of the account.',
    ...SESSION,
    responses: {
      '200': json('Their cookies are worth nothing any more.', ref('SessionsEnded')),
      ...errors(401, 403, 429),
    },
  };
}

function endSession(): object {
  return {
    operationId: 'endSession',
    summary: 'Ends a session of the account.',
    ...SESSION,
    responses: { '200': json('Its cookie is worth nothing any more.', ref('Deleted')), ...errors(401, 403, 404, 429) },
  };
}

function organizations(): object {
  return {
    operationId: 'listOrganizations',
    summary: 'Lists the organizations of the account.',
    ...SESSION,
    responses: { '200': json('In the order of joining.', list(ref('Organization'))), ...errors(401, 429) },
  };
}

function newOrganization(): object {
  return {
    operationId: 'createOrganization',
    summary: 'Creates an organization with the account as its owner.',
    ...SESSION,
    requestBody: jsonBody(ORGANIZATION_SCHEMA),
    responses: { '201': json('The organization.', ref('Organization')), ...errors(400, 401, 403, 413, 429) },
  };
}

function organization(): object {
  return {
    operationId: 'getOrganization',
    summary: 'Shows an organization.',
    ...SESSION,
    responses: { '200': json('The organization.', ref('Organization')), ...errors(401, 404, 429) },
  };
}

function adminKeyRotation(): object {
  return {
    operationId: 'rotateAdminKey',
    summary: 'Rotates the admin key; the old one stops working at once. Owners only.',
    ...SESSION,
    responses: { '200': json('The key, which is never shown again.', ref('AdminKey')), ...errors(401, 403, 404, 429) },
  };
}

function members(): object {
  return {
    operationId: 'listMembers',
    summary: 'Lists members in order of joining, then invitations.',
    ...SESSION,
    responses: { '200': json('Members and invitations.', list(ref('Member'))), ...errors(401, 404, 429) },
  };
}

function invitation(): object {
  return {
    operationId: 'inviteMember',
    summary: "Invites an e-mail address, or changes a member's role. Admins; only owners manage owners.",
    ...SESSION,
    requestBody: jsonBody(INVITE_SCHEMA),
    responses: {
      '200': json('Was there already, and has the role now.', ref('Member')),
      '201': json('Invited: joins with the first login with that address.', ref('Member')),
      ...errors(400, 401, 403, 404, 409, 413, 429),
    },
  };
}

function removal(): object {
  return {
    operationId: 'removeMember',
    summary: 'Removes a member or an invitation (admins), or yourself. Access ends at once.',
    ...SESSION,
    requestBody: jsonBody(REMOVE_SCHEMA),
    responses: { '200': json('`id` is the address.', ref('Deleted')), ...errors(400, 401, 403, 404, 413, 429) },
  };
}

function audit(): object {
  return {
    operationId: 'readAudit',
    summary: 'Reads the audit trail, newest first. Admins.',
    ...SESSION,
    parameters: AUDIT_PARAMETERS,
    responses: { '200': AUDIT_RESPONSE, ...errors(400, 401, 403, 404, 429) },
  };
}

function usage(): object {
  const day = { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\d$' };
  return {
    operationId: 'getOrganizationUsage',
    summary: 'Usage of all projects together, including deleted ones, and the monthly bills.',
    ...SESSION,
    parameters: [
      query('from', 'First day; defaults to the first of the month.', day),
      query('to', 'Last day; defaults to today.', day),
    ],
    responses: { '200': json('Days and months (UTC).', ref('OrganizationUsage')), ...errors(400, 401, 404, 429) },
  };
}

const AMOUNT = { type: 'number', minimum: 0 };
const LIMIT = { anyOf: [COUNT, { type: 'null' }], description: 'null: none.' };
const WEIGHT = {
  type: 'integer',
  minimum: 1,
  description: 'Share of rate limits and turns, as a multiple of an ordinary organization.',
};
const TEXT_OR_NULL = { type: ['string', 'null'] };
const ROLE = { enum: ROLES };

export const ACCOUNT_SCHEMAS = {
  LoggedOut: whole({ ok: { const: true } }),
  Session: whole({
    account: whole({ id: { type: 'string', pattern: '^usr_' }, email: TEXT_OR_NULL, name: TEXT_OR_NULL }),
  }),
  BrowserSession: whole({
    id: { type: 'string', pattern: '^ses_' },
    current: { type: 'boolean', description: 'Whether it is the current session.' },
    created_at: TIME,
    last_used_at: { ...TIME, description: 'Precise to the hour.' },
    expires_at: { ...TIME, description: 'When it ends at the latest; earlier if unused for 30 days.' },
    ip: { ...TEXT_OR_NULL, description: 'Where the login came from.' },
    user_agent: TEXT_OR_NULL,
  }),
  SessionsEnded: whole({ deleted: { const: true }, ended: COUNT }),
  Organization: whole({
    id: { type: 'string', pattern: '^org_' },
    name: { type: 'string' },
    role: { ...ROLE, description: 'Role of the current account.' },
    created_at: TIME,
    limits: whole({ projects: LIMIT, events_per_month: LIMIT, weight: WEIGHT }),
  }),
  AdminKey: whole({ admin_key: { type: 'string', pattern: '^ak_' } }),
  Member: whole({
    email: { type: 'string', description: 'The account id if there is no verified address.' },
    name: TEXT_OR_NULL,
    role: ROLE,
    status: { enum: ['active', 'invited'] },
    joined_at: { anyOf: [TIME, { type: 'null' }] },
  }),
  AuditEntry: whole({
    id: { type: 'string' },
    at: TIME,
    actor: { type: 'string', description: 'An e-mail address, `token:…`, `secret:…`, `wl admin` and the like.' },
    action: { type: 'string', examples: ['login', 'key.rotate', 'user.erase'] },
    target: { type: 'string', description: 'An id, or the address of a member; users appear as a keyed hash.' },
    ip: TEXT_OR_NULL,
  }),
  OrganizationUsage: whole({
    days: list(ref('UsageRow')),
    months: list(ref('UsageMonth')),
  }),
  UsageMonth: {
    type: 'object',
    required: ['month', 'events_stored'],
    description: 'A whole UTC month. Hosts without a price send no bill: neither `billable_events` nor an amount.',
    properties: {
      month: { type: 'string', pattern: '^\\d{4}-\\d\\d$' },
      events_stored: COUNT,
      billable_events: {
        ...COUNT,
        description: 'Events beyond the free ones: 10 million, unless the host sets another number.',
      },
      amount_usd: { ...AMOUNT, description: 'Where the host bills in dollars: 5 a million by default, not rounded.' },
    },
    patternProperties: {
      '^amount_(?!usd$)[a-z]{3}$': { ...AMOUNT, description: 'The same in the currency of the host: `amount_eur`.' },
    },
  },
};

function query(name: string, description: string, schema: unknown): object {
  return { name, in: 'query', description, schema };
}

function list(items: unknown): object {
  return { type: 'array', items };
}

/** An object that always has all of these fields. */
function whole(properties: Readonly<Record<string, unknown>>): object {
  return { type: 'object', required: Object.keys(properties), properties };
}
