/** Describes sessions, organizations and their members for /openapi.json, with a session and with an admin key. */
import { DAY_COUNTERS } from '../../control/operator/operator.ts';
import { ROLES } from '../../control/types.ts';
import { INVITE_BODY, REMOVE_BODY } from '../api/account-bodies.ts';
import { NAME_BODY } from '../api/project-bodies.ts';
import { operation, SESSION, COUNT, DAYS, json, LIMIT, list, ORG, ORG_ID, parameter, pathId, ref, seeOther, TEXT, text, TEXT_OR_NULL, TIME, TIME_OR_NULL, whole, ADMIN, DAY, KEYED, PROJECT } from './operation.ts'; // prettier-ignore

const LOGIN = { tags: ['login'], security: [] };
const SEE_OTHER = seeOther('A path of this service.');
const AUDIT_TIME = { type: 'string', description: 'YYYY-MM-DD, or a time with its offset.' };

/** Of both ways to read the audit trail. */
const AUDIT = {
  parameters: [
    parameter('from', 'Included.', AUDIT_TIME),
    parameter('to', 'A day is included, a time is not.', AUDIT_TIME),
    parameter('limit', 'Entries of the page.', { type: 'integer', minimum: 1, maximum: 1000, default: 100 }),
    parameter('cursor', 'X-Next-Cursor of the page before.'),
  ],
  ok: {
    description: 'Entries.',
    headers: { 'X-Next-Cursor': { description: 'The next `cursor`; missing on the last page.', schema: TEXT } },
    content: { 'application/json': { schema: list(ref('AuditEntry')) } },
  },
};

/** Of both ways to invite, list and remove members. */
const MEMBERS = {
  list: { ok: json('Members and invitations.', list(ref('Member'))) },
  invite: {
    takes: INVITE_BODY.schema,
    ok: json('Was there already, and has the role now.', ref('Member')),
    answers: { '201': json('Invited: joins with the first login with that address.', ref('Member')) },
  },
  remove: { takes: REMOVE_BODY.schema, ok: json('`id` is the address.', ref('Deleted')) },
};

export const ACCOUNT_PATHS = {
  '/auth/link': {
    get: operation(LOGIN, 'showLoginLink', 'The page of a login link: a button posts its token. Opening the page changes nothing.', {
      parameters: [parameter('token', 'The token from the link.')],
      ok: text('A page.', 'text/html'),
    }),
    post: operation(LOGIN, 'useLoginLink', 'Logs in with a link, once: sets wl_session, or redirects to /login?error=link.', {
      requestBody: { required: true, content: { 'application/x-www-form-urlencoded': { schema: whole({ token: TEXT }) } } },
      answers: { '303': SEE_OTHER },
      fails: [403, 429],
    }),
  },
  '/auth/logout': {
    post: operation(LOGIN, 'logout', 'Ends the session. Browsers are redirected to /login.', {
      ok: json('The session has ended.', ref('LoggedOut')),
      answers: { '303': SEE_OTHER },
      fails: [403],
    }),
  },
  '/api/session': {
    get: operation(SESSION, 'getSession', 'Shows the current account.', { ok: json('The account.', ref('Session')) }),
  },
  '/api/sessions': {
    get: operation(SESSION, 'listSessions', 'Lists the sessions of the account.', {
      ok: json('The last used first.', list(ref('BrowserSession'))),
    }),
    delete: operation(SESSION, 'endOtherSessions', 'Ends all other sessions of the account.', {
      ok: json('Their cookies no longer work.', ref('SessionsEnded')),
    }),
  },
  '/api/sessions/{sessionID}': {
    parameters: [pathId('sessionID', 'Id of the session, ses_…')],
    delete: operation(SESSION, 'endSession', 'Ends a session of the account.', {
      ok: json('Its cookie no longer works.', ref('Deleted')),
    }),
  },
  '/api/orgs': {
    get: operation(SESSION, 'listOrganizations', 'Lists the organizations of the account.', { ok: json('In the order of joining.', list(ref('Organization'))) }),
    post: operation(SESSION, 'createOrganization', 'Creates an organization with the account as its owner.', {
      takes: NAME_BODY.schema,
      answers: { '201': json('The organization.', ref('Organization')) },
    }),
  },
  '/api/orgs/{orgID}': {
    parameters: [ORG_ID],
    get: operation(SESSION, 'getOrganization', 'Shows an organization.', { ok: json('The organization.', ref('Organization')) }),
  },
  '/api/orgs/{orgID}/rotate-admin-key': {
    parameters: [ORG_ID],
    post: operation(SESSION, 'rotateAdminKey', 'Rotates the admin key; the old one stops working at once. Owners only.', { ok: json('The key, which is never shown again.', ref('AdminKey')) }),
  },
  '/api/orgs/{orgID}/members': {
    parameters: [ORG_ID],
    get: operation(SESSION, 'listMembers', 'Lists members in order of joining, then invitations.', MEMBERS.list),
    post: operation(SESSION, 'inviteMember', "Invites an e-mail address, or changes a member's role. Admins; only owners manage owners.", {
      ...MEMBERS.invite,
      fails: [409],
    }),
    delete: operation(SESSION, 'removeMember', 'Removes a member or an invitation (admins), or yourself. The role ends at once; access tokens that they made stay.', MEMBERS.remove),
  },
  '/api/orgs/{orgID}/audit': {
    parameters: [ORG_ID],
    get: operation(SESSION, 'readAudit', 'Reads the audit trail, newest first. Admins.', {
      ...AUDIT,
      fails: [403],
    }),
  },
  '/api/orgs/{orgID}/usage': {
    parameters: [ORG_ID],
    get: operation(SESSION, 'getOrganizationUsage', 'Usage of all projects together, including deleted ones, and the monthly bills.', {
      parameters: DAYS,
      ok: json('Days and months (UTC).', ref('OrganizationUsage')),
    }),
  },
}; // prettier-ignore

const AMOUNT = { type: 'number', minimum: 0 };
const WEIGHT = {
  type: 'integer',
  minimum: 1,
  description: 'Share of rate limits and turns, as a multiple of an ordinary organization.',
};
const ROLE = { enum: ROLES };
const ORGANIZATION = {
  id: ORG,
  name: TEXT,
  created_at: TIME,
  limits: whole({ projects: LIMIT, events_per_month: LIMIT, weight: WEIGHT }),
};

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
  Organization: whole({ ...ORGANIZATION, role: { ...ROLE, description: 'Role of the current account.' } }),
  AdminKey: whole({ admin_key: { type: 'string', pattern: '^ak_' } }),
  Member: whole({
    email: { type: 'string', description: 'The account id if there is no verified address.' },
    name: TEXT_OR_NULL,
    role: ROLE,
    status: { enum: ['active', 'invited'] },
    joined_at: TIME_OR_NULL,
  }),
  AuditEntry: whole({
    id: TEXT,
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

/** Describes the login through identity providers for /openapi.json. */
const PROVIDER = pathId('provider', 'Name of a configured provider, in lower case.');

export const AUTH_PATHS = {
  '/auth/{provider}': {
    parameters: [PROVIDER],
    get: operation(LOGIN, 'beginLogin', 'Sends a browser to the identity provider to log in.', {
      parameters: [parameter('return_to', 'Path of this service to go to afterwards; others are passed over.')],
      answers: { '303': seeOther('An address of the provider.') },
      fails: [405, 429],
    }),
  },
  '/auth/{provider}/cb': {
    parameters: [PROVIDER],
    get: operation(
      LOGIN,
      'finishLogin',
      'The callback of the provider: sets wl_session, or redirects to /login?error=….',
      {
        parameters: [
          parameter('state', 'Of the login that was begun in this browser.'),
          parameter('code', "The provider's code for the login."),
          parameter('error', 'Why the provider refused the login.'),
          parameter('iss', 'Which provider says so.'),
        ],
        answers: { '303': SEE_OTHER },
        fails: [405],
      },
    ),
  },
};

/** What an admin key may do to its organization. */
export const ADMIN_PATHS = {
  '/api/admin/organization': {
    get: operation(ADMIN, 'getAdminOrganization', 'Shows the organization of the key.', { ok: json('The organization.', ref('AdminOrganization')) }),
  },
  '/api/admin/members': {
    get: operation(ADMIN, 'listAdminMembers', 'Lists members in order of joining, then invitations.', MEMBERS.list),
    post: operation(ADMIN, 'inviteAdminMember', "Invites an e-mail address, or changes a member's role. Cannot manage owners.", {
      ...KEYED,
      ...MEMBERS.invite,
      fails: [409],
    }),
    delete: operation(ADMIN, 'removeAdminMember', 'Removes a member or an invitation, but not owners. The role ends at once; access tokens that they made stay.', {
      ...MEMBERS.remove,
      fails: [404],
    }),
  },
  '/api/admin/usage': {
    get: operation(ADMIN, 'getAdminUsage', 'Daily usage (UTC) of each project, including deleted ones, and the monthly bills.', {
      parameters: [
        ...DAYS,
        parameter('format', 'JSON, or lines of CSV: days, then months.', { enum: ['json', 'csv'], default: 'json' }),
      ],
      ok: {
        description: 'A row per project and active day, and the months.',
        content: { 'application/json': { schema: ref('UsageByProject') }, 'text/csv': { schema: TEXT } },
      },
    }),
  },
  '/api/admin/audit': {
    get: operation(ADMIN, 'readAdminAudit', 'Reads the audit trail, newest first.', AUDIT),
  },
}; // prettier-ignore

export const ADMIN_SCHEMAS = {
  AdminOrganization: whole(ORGANIZATION),
  UsageByProject: whole({
    days: list(
      whole({
        date: DAY,
        project_id: PROJECT,
        project_name: { ...TEXT_OR_NULL, description: 'null: it was deleted.' },
        ...Object.fromEntries(DAY_COUNTERS.map((name) => [name, COUNT])),
      }),
    ),
    months: list(ref('UsageMonth')),
  }),
};
