/** Describes projects, their tokens and their usage for /openapi.json, in both management APIs. */
import { SCOPES, SUSPENDABLE } from '../../control/types.ts';
import {
  DELETE_BODY,
  NAME_BODY,
  ROTATE_BODY,
  SETTINGS_BODY,
  SUSPEND_BODY,
  TOKEN_BODY,
  SETTINGS_FIELDS,
} from '../api/project-bodies.ts';
import { ADMIN, type Door, operation, type PathItem, SESSION, COUNT, DAY, DAYS, json, KEYED, list, ORG, ORG_ID, pathId, PROJECT, PROJECT_ID, ref, TEXT, TIME, TIME_OR_NULL, whole } from './operation.ts'; // prettier-ignore

const THE_PROJECT = json('The project.', ref('ProjectKeys'));

export const PROJECT_PATHS = {
  '/api/orgs/{orgID}/projects': { parameters: [ORG_ID], ...collection(SESSION, '') },
  ...paths('/api/projects', SESSION, ''),
  '/api/admin/projects': collection(ADMIN, 'Admin'),
  ...paths('/api/admin/projects', ADMIN, 'Admin'),
};

/** What both APIs offer for one project. @param prefix Of the object, in ids of operations. */
function paths(root: string, door: Door, prefix: string): Readonly<Record<string, PathItem>> {
  const one = `${root}/{projectID}`;
  const parameters = [PROJECT_ID];
  return {
    [one]: {
      parameters,
      get: operation(door, `get${prefix}Project`, 'Shows a project with its keys; viewers do not see the secret key.', { ok: json('The project.', { anyOf: [ref('ProjectKeys'), ref('Project')] }) }),
      delete: operation(door, `delete${prefix}Project`, 'Permanently deletes a project with its events, keys and tokens.', {
        takes: DELETE_BODY.schema,
        ok: json('It is gone: no byte of its events is in any file.', ref('Deleted')),
      }),
      patch: operation(door, `change${prefix}Project`, 'Changes the given settings.', { takes: SETTINGS_BODY.schema, ok: THE_PROJECT }),
    },
    [`${one}/rotate-secret-key`]: {
      parameters,
      post: operation(door, `rotate${prefix}SecretKey`, 'Rotates the secret key. The public key does not change.', {
        requestBody: { required: false, content: { 'application/json': { schema: ROTATE_BODY.schema } } },
        ok: json('The project with its new key.', ref('ProjectKeys')),
      }),
    },
    [`${one}/suspend`]: {
      parameters,
      post: operation(door, `suspend${prefix}Project`, 'Suspends a project: refuses events, queries or both with 403 and the reason. Stored data stays.', {
        takes: SUSPEND_BODY.schema,
        ok: THE_PROJECT,
      }),
    },
    [`${one}/resume`]: {
      parameters,
      post: operation(door, `resume${prefix}Project`, 'Lifts the suspension by the organization. 403 if only the operator has suspended the project.', { ok: THE_PROJECT }),
    },
    [`${one}/usage`]: {
      parameters,
      get: operation(door, `get${prefix}ProjectUsage`, 'Usage by day (UTC), at most 366 days.', {
        parameters: DAYS,
        ok: json('A row for every day.', list(ref('UsageRow'))),
      }),
    },
    [`${one}/tokens`]: {
      parameters,
      get: operation(door, `list${prefix}Tokens`, 'Lists access tokens, including expired ones, by prefix.', { ok: json('In order of creation.', list(ref('Token'))) }),
      post: operation(door, `create${prefix}Token`, 'Creates an access token.', {
        ...(door === ADMIN ? KEYED : {}),
        takes: TOKEN_BODY.schema,
        answers: { '201': json('With the token itself, which is never shown again.', ref('NewToken')) },
        ...(door === ADMIN ? { fails: [409] as const } : {}),
      }),
    },
    [`${one}/tokens/{tokenID}`]: {
      parameters: [PROJECT_ID, pathId('tokenID', 'Id of the token, tok_…')],
      delete: operation(door, `revoke${prefix}Token`, 'Revokes an access token; it stops working at once.', { ok: json('It is gone.', ref('Deleted')) }),
    },
  };
} // prettier-ignore

function collection(door: Door, prefix: string): PathItem {
  return {
    get: operation(door, `list${prefix}Projects`, 'Lists the projects of the organization, without their secret keys.', {
      ok: json('In order of creation.', list(ref('Project'))),
      fails: [403, 404],
    }),
    post: operation(door, `create${prefix}Project`, 'Creates a project and its keys.', {
      ...(door === ADMIN ? KEYED : {}),
      takes: NAME_BODY.schema,
      answers: { '201': THE_PROJECT },
      ...(door === ADMIN ? { fails: [404, 409] as const } : {}),
    }),
  };
} // prettier-ignore

const SHOWN = {
  id: PROJECT,
  org_id: ORG,
  name: TEXT,
  public_key: { type: 'string', pattern: '^pk_' },
  created_at: TIME,
  settings: ref('ProjectSettings'),
};

const PROJECT_KEYS = { ...SHOWN, secret_key: { type: 'string', pattern: '^sk_' } };

/** Missing if everything works. */
const SUSPENSIONS = {
  suspensions: { type: 'array', minItems: 1, items: ref('Suspension'), description: 'Missing: everything works.' },
};

const TOKEN = {
  id: { type: 'string', pattern: '^tok_' },
  name: TEXT,
  prefix: { type: 'string', pattern: '^aat_', maxLength: 12 },
  scopes: { type: 'array', minItems: 1, uniqueItems: true, items: { enum: SCOPES } },
  expires_at: TIME,
  created_at: TIME,
  last_used_at: TIME_OR_NULL,
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
  ProjectSettings: whole(SETTINGS_FIELDS),
  Suspension: whole({
    by: { enum: ['operator', 'organization'], description: 'Who can lift it.' },
    what: { enum: SUSPENDABLE },
    reason: TEXT,
  }),
  Project: { ...whole(SHOWN), properties: { ...SHOWN, ...SUSPENSIONS } },
  ProjectKeys: { ...whole(PROJECT_KEYS), properties: { ...PROJECT_KEYS, ...SUSPENSIONS } },
  Token: whole(TOKEN),
  NewToken: whole({ ...TOKEN, token: { type: 'string', pattern: '^aat_', description: 'Never shown again.' } }),
  UsageRow: whole({
    date: DAY,
    ...Object.fromEntries(Object.entries(COUNTERS).map(([name, description]) => [name, { ...COUNT, description }])),
  }),
  Deleted: whole({ deleted: { const: true }, id: TEXT }),
};
