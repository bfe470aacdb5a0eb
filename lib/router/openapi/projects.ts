/** What /openapi.json says of projects, their tokens and their usage, in both management APIs. */
import { IP_POLICIES } from '../../control/projects/settings.ts';
import { SCOPES, SUSPENDABLE } from '../../control/types.ts';
import {
  DELETE_SCHEMA,
  NAME_SCHEMA,
  ROTATE_SCHEMA,
  SETTINGS_SCHEMA,
  SUSPEND_SCHEMA,
  TOKEN_SCHEMA,
} from '../api/project-bodies.ts';
import { errors } from './errors.ts';
import { COUNT, json, jsonBody, KEYED, pathId, ref, TIME } from './parts.ts';

const PROJECT_ID = pathId('projectID', 'Id of the project, prj_…');
const DAYS = ['from', 'to'].map((name) => ({
  name,
  in: 'query',
  description: name === 'from' ? 'First day; defaults to the first of the month.' : 'Last day; defaults to today.',
  schema: { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\d$' },
}));

interface Api {
  readonly tags: readonly string[];
  readonly security: readonly unknown[];
}

const SESSION: Api = { tags: ['session'], security: [{ session: [] }] };
const ADMIN: Api = { tags: ['admin'], security: [{ adminKey: [] }] };

export const PROJECT_PATHS = {
  '/api/orgs/{orgID}/projects': {
    parameters: [pathId('orgID', 'Id of the organization, org_…')],
    ...collection(SESSION, ''),
  },
  '/api/projects/{projectID}': { parameters: [PROJECT_ID], ...project(SESSION, ''), ...settings(SESSION, '') },
  '/api/projects/{projectID}/rotate-secret-key': { parameters: [PROJECT_ID], ...rotation(SESSION, '') },
  '/api/projects/{projectID}/suspend': { parameters: [PROJECT_ID], ...suspension(SESSION, '') },
  '/api/projects/{projectID}/resume': { parameters: [PROJECT_ID], ...resumption(SESSION, '') },
  '/api/projects/{projectID}/usage': { parameters: [PROJECT_ID], ...usage(SESSION, '') },
  '/api/projects/{projectID}/tokens': { parameters: [PROJECT_ID], ...tokens(SESSION, '') },
  '/api/projects/{projectID}/tokens/{tokenID}': {
    parameters: [PROJECT_ID, pathId('tokenID', 'Id of the token, tok_…')],
    ...revocation(SESSION, ''),
  },
  '/api/admin/projects': collection(ADMIN, 'Admin'),
  '/api/admin/projects/{projectID}': {
    parameters: [PROJECT_ID],
    ...project(ADMIN, 'Admin'),
    ...settings(ADMIN, 'Admin'),
  },
  '/api/admin/projects/{projectID}/rotate-secret-key': { parameters: [PROJECT_ID], ...rotation(ADMIN, 'Admin') },
  '/api/admin/projects/{projectID}/suspend': { parameters: [PROJECT_ID], ...suspension(ADMIN, 'Admin') },
  '/api/admin/projects/{projectID}/resume': { parameters: [PROJECT_ID], ...resumption(ADMIN, 'Admin') },
  '/api/admin/projects/{projectID}/usage': { parameters: [PROJECT_ID], ...usage(ADMIN, 'Admin') },
  '/api/admin/projects/{projectID}/tokens': { parameters: [PROJECT_ID], ...tokens(ADMIN, 'Admin') },
  '/api/admin/projects/{projectID}/tokens/{tokenID}': {
    parameters: [PROJECT_ID, pathId('tokenID', 'Id of the token, tok_…')],
    ...revocation(ADMIN, 'Admin'),
  },
};

function collection(api: Api, prefix: string): object {
  return {
    get: {
      operationId: operation('list', prefix, 'Projects'),
      summary: 'Lists the projects of the organization, without their secret keys.',
      ...api,
      responses: { '200': json('In order of creation.', list('Project')), ...errors(401, 403, 404, 429) },
    },
    post: {
      operationId: operation('create', prefix, 'Project'),
      summary: 'Creates a project and its keys.',
      ...api,
      ...(api === ADMIN ? KEYED : {}),
      requestBody: jsonBody(NAME_SCHEMA),
      responses: {
        '201': json('The project.', ref('ProjectKeys')),
        ...errors(400, 401, 403, 404, ...(api === ADMIN ? ([409] as const) : []), 413, 429),
      },
    },
  };
}

function project(api: Api, prefix: string): object {
  return {
    get: {
      operationId: operation('get', prefix, 'Project'),
      summary: 'Shows a project with its keys; viewers do not see the secret key.',
      ...api,
      responses: {
        '200': json('The project.', { anyOf: [ref('ProjectKeys'), ref('Project')] }),
        ...errors(401, 403, 404, 429),
      },
    },
    delete: {
      operationId: operation('delete', prefix, 'Project'),
      summary: 'Permanently deletes a project with its events, keys and tokens.',
      ...api,
      requestBody: jsonBody(DELETE_SCHEMA),
      responses: {
        '200': json('It is gone: no byte of its events is in any file.', ref('Deleted')),
        ...errors(400, 401, 403, 404, 413, 429),
      },
    },
  };
}

function settings(api: Api, prefix: string): object {
  return {
    patch: {
      operationId: operation('change', prefix, 'Project'),
      summary: 'Changes the given settings.',
      ...api,
      requestBody: jsonBody(SETTINGS_SCHEMA),
      responses: { '200': json('The project.', ref('ProjectKeys')), ...errors(400, 401, 403, 404, 413, 429) },
    },
  };
}

function rotation(api: Api, prefix: string): object {
  return {
    post: {
      operationId: operation('rotate', prefix, 'SecretKey'),
      summary: 'Rotates the secret key. The public key does not change.',
      ...api,
      requestBody: jsonBody(ROTATE_SCHEMA, false),
      responses: {
        '200': json('The project with its new key.', ref('ProjectKeys')),
        ...errors(400, 401, 403, 404, 413, 429),
      },
    },
  };
}

function suspension(api: Api, prefix: string): object {
  return {
    post: {
      operationId: operation('suspend', prefix, 'Project'),
      summary: 'Suspends a project: refuses events, queries or both with 403 and the reason. Stored data stays.',
      ...api,
      requestBody: jsonBody(SUSPEND_SCHEMA),
      responses: { '200': json('The project.', ref('ProjectKeys')), ...errors(400, 401, 403, 404, 413, 429) },
    },
  };
}

function resumption(api: Api, prefix: string): object {
  return {
    post: {
      operationId: operation('resume', prefix, 'Project'),
      summary: 'Lifts the suspension by the organization. 403 if only the operator has suspended the project.',
      ...api,
      responses: { '200': json('The project.', ref('ProjectKeys')), ...errors(401, 403, 404, 429) },
    },
  };
}

function usage(api: Api, prefix: string): object {
  return {
    get: {
      operationId: operation('get', prefix, 'ProjectUsage'),
      summary: 'Usage by day (UTC), at most 366 days.',
      ...api,
      parameters: DAYS,
      responses: { '200': json('A row for every day.', list('UsageRow')), ...errors(400, 401, 403, 404, 429) },
    },
  };
}

function tokens(api: Api, prefix: string): object {
  return {
    get: {
      operationId: operation('list', prefix, 'Tokens'),
      summary: 'Lists access tokens, including expired ones, by prefix.',
      ...api,
      responses: { '200': json('In order of creation.', list('Token')), ...errors(401, 403, 404, 429) },
    },
    post: {
      operationId: operation('create', prefix, 'Token'),
      summary: 'Creates an access token.',
      ...api,
      ...(api === ADMIN ? KEYED : {}),
      requestBody: jsonBody(TOKEN_SCHEMA),
      responses: {
        '201': json('With the token itself, which is never shown again.', ref('NewToken')),
        ...errors(400, 401, 403, 404, ...(api === ADMIN ? ([409] as const) : []), 413, 429),
      },
    },
  };
}

function revocation(api: Api, prefix: string): object {
  return {
    delete: {
      operationId: operation('revoke', prefix, 'Token'),
      summary: 'Revokes an access token; it stops working at once.',
      ...api,
      responses: { '200': json('It is gone.', ref('Deleted')), ...errors(401, 403, 404, 429) },
    },
  };
}

const PROJECT = {
  id: { type: 'string', pattern: '^prj_' },
  org_id: { type: 'string', pattern: '^org_' },
  name: { type: 'string' },
  public_key: { type: 'string', pattern: '^pk_' },
  created_at: TIME,
  settings: ref('ProjectSettings'),
};

const PROJECT_KEYS = { ...PROJECT, secret_key: { type: 'string', pattern: '^sk_' } };

/** Missing where everything works. */
const SUSPENSIONS = {
  suspensions: { type: 'array', minItems: 1, items: ref('Suspension'), description: 'Missing: everything works.' },
};

const TOKEN = {
  id: { type: 'string', pattern: '^tok_' },
  name: { type: 'string' },
  prefix: { type: 'string', pattern: '^aat_', maxLength: 12 },
  scopes: { type: 'array', minItems: 1, uniqueItems: true, items: { enum: SCOPES } },
  expires_at: TIME,
  created_at: TIME,
  last_used_at: { anyOf: [TIME, { type: 'null' }] },
  created_by: { type: 'string', description: 'Who created it: an e-mail address or `wl admin`.' },
};

const COUNTERS = {
  events_ingested: 'Accepted.',
  events_stored: 'Accepted, less duplicates and dropped.',
  events_rejected: 'Invalid and skipped.',
  events_duplicate: 'Accepted and not stored: their insert_id was known.',
  events_dropped: 'Accepted and not stored: older than the project keeps events.',
  values_trimmed: 'Values that were cut or left out.',
  ids_ignored: 'Ids that stand for nothing, such as "null".',
  queries_run: 'Queries answered.',
  query_ms: 'Milliseconds that they took.',
  bytes_stored: 'Bytes on disk at the end of the day.',
};

export const PROJECT_SCHEMAS = {
  ProjectSettings: record({
    retention_days: {
      type: ['integer', 'null'],
      minimum: 1,
      description: 'Days to keep events; null: forever.',
    },
    ip_policy: { enum: IP_POLICIES, description: 'How client addresses are stored.' },
    timezone: { type: 'string', description: 'IANA name.' },
  }),
  Suspension: record({
    by: { enum: ['operator', 'organization'], description: 'Who can lift it.' },
    what: { enum: SUSPENDABLE },
    reason: { type: 'string' },
  }),
  Project: { ...record(PROJECT), properties: { ...PROJECT, ...SUSPENSIONS } },
  ProjectKeys: { ...record(PROJECT_KEYS), properties: { ...PROJECT_KEYS, ...SUSPENSIONS } },
  Token: record(TOKEN),
  NewToken: record({ ...TOKEN, token: { type: 'string', pattern: '^aat_', description: 'Never shown again.' } }),
  UsageRow: record({
    date: { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\d$' },
    ...Object.fromEntries(Object.entries(COUNTERS).map(([name, description]) => [name, { ...COUNT, description }])),
  }),
  Deleted: record({ deleted: { const: true }, id: { type: 'string' } }),
};

function operation(verb: string, prefix: string, what: string): string {
  return `${verb}${prefix}${what}`;
}

function list(schema: string): object {
  return { type: 'array', items: ref(schema) };
}

/** An object that always has all of these fields. */
function record(properties: Readonly<Record<string, unknown>>): object {
  return { type: 'object', required: Object.keys(properties), properties };
}
