/** Access tokens of a project, the same in both management APIs. */
import { tokenJson } from '../../control/json.ts';
import { parseLifetime } from '../../control/projects/lifetime.ts';
import { SCOPES } from '../../control/types.ts';
import { idParameter } from '../http/query-string.ts';
import { JsonBody } from '../route/json-body.ts';
import { creating, managed } from '../route/managed.ts';
import type { Routes } from '../route/route.ts';
import { component, json, list, ANY_STRING, DATE_TIME, DATE_TIME_OR_NULL, objectOf } from '../route/schema.ts';
import { noSuch } from '../roles.ts';
import { ADMIN, admitOperator, type Door, OPERATOR, SESSION } from './doors.ts';
import { DELETED, NAME } from './schemas.ts';

const BODY = new JsonBody<{
  readonly name: string;
  readonly scopes: readonly string[];
  readonly expires_in?: string;
  readonly personal?: boolean;
}>(
  'token',
  {
    required: ['name', 'scopes'],
    properties: {
      name: NAME,
      scopes: { type: 'array', items: { type: 'string' }, description: 'At least one of track, query, admin, dashboards.' },
      expires_in: { type: 'string', default: '90d', description: 'A number and m (minutes), h, d or w; at most 10 years.' },
      personal: { type: 'boolean', default: true, description: 'false: it sees no personal data, and ids as hashes; not with the scope admin.' },
    },
  },
  {
    '': 'The body must be a JSON object with "name" and "scopes".',
    '/name': '"name" must be a string.',
    '/scopes': '"scopes" must be a list of strings: track, query, admin, dashboards.',
    '/expires_in': '"expires_in" must be a duration such as "720h".',
    '/personal': '"personal" must be true or false.',
  },
); // prettier-ignore

const FIELDS = {
  id: { type: 'string', pattern: '^tok_' },
  name: ANY_STRING,
  prefix: { type: 'string', pattern: '^aat_', maxLength: 12 },
  scopes: { type: 'array', minItems: 1, uniqueItems: true, items: { enum: SCOPES } },
  personal: { type: 'boolean', description: 'Whether it sees personal data.' },
  expires_at: DATE_TIME,
  created_at: DATE_TIME,
  last_used_at: DATE_TIME_OR_NULL,
  created_by: { type: 'string', description: 'Who created it: an e-mail address or `wl admin`.' },
};

const TOKEN = component('Token', objectOf(FIELDS));
/** Only the answer that creates a token contains it. */
const NEW_TOKEN = component(
  'NewToken',
  objectOf({ ...FIELDS, token: { type: 'string', pattern: '^aat_', description: 'Never shown again.' } }),
);

export const TOKEN_ROUTES: Routes = {
  ...tokenRoutes('/api/projects/{projectID}/tokens', SESSION, ''),
  ...tokenRoutes('/api/admin/projects/{projectID}/tokens', ADMIN, 'Admin'),
  ...tokenRoutes('/operator/projects/{projectID}/tokens', OPERATOR, 'Operator'),
  '/operator/tokens/{tokenID}': {
    delete: managed(OPERATOR, 'revokeAnyToken', 'Revokes an access token of any project; it stops working at once.', {
      admit: admitOperator,
      ok: json('It is gone.', DELETED),
      fails: [404],
      answer: async ({ control }, by, request) => {
        const { id, projectId } = await control.tokens.get(idParameter(request, 'tokenID'));
        await control.tokens.revoke(projectId, id, by);
        return { deleted: true, id };
      },
    }),
  },
};

/** @param prefix Of the object, in ids of operations. */
function tokenRoutes(path: string, door: Door, prefix: string): Routes {
  return {
    [path]: {
      get: managed(door, `list${prefix}Tokens`, 'Lists access tokens, including expired ones, by prefix.', {
        admit: door.project('read'),
        ok: json('In order of creation.', list(TOKEN)),
        answer: async ({ control }, { project }) => (await control.tokens.list(project.id)).map(tokenJson),
      }),
      post: creating(door, `create${prefix}Token`, 'Creates an access token.', {
        admit: door.project('make'),
        body: BODY,
        answers: { '201': json('With the token itself, which is never shown again.', NEW_TOKEN) },
        fails: door.takesKeys ? [409] : [],
        make: async ({ control }, { project, by }, { name, scopes, personal, expires_in: lifetime }) => {
          const lifetimeMs = lifetime === undefined ? {} : { lifetimeMs: parseLifetime(lifetime, 'expires_in') };
          const { token, key } = await control.tokens.create(
            { projectId: project.id, name, scopes, ...(personal === undefined ? {} : { personal }), ...lifetimeMs },
            by,
          );
          return { status: 201, value: { ...tokenJson(token), token: key } };
        },
      }),
    },
    [`${path}/{tokenID}`]: {
      delete: managed(door, `revoke${prefix}Token`, 'Revokes an access token; it stops working at once.', {
        admit: door.project('change'),
        ok: json('It is gone.', DELETED),
        answer: async ({ control }, { project, by }, request) => {
          const id = idParameter(request, 'tokenID');
          if ((await control.tokens.find(id))?.projectId !== project.id) throw noSuch('token');
          await control.tokens.revoke(project.id, id, by);
          return { deleted: true, id };
        },
      }),
    },
  };
}
