/** GET /key: what the key of the request is, and what it may do. */
import { SCOPES } from '../control/types.ts';
import { sendJson } from './http/answer.ts';
import { operation, type Routes } from './route/route.ts';
import { component, json, list, STRING_OR_NULL, objectOf } from './route/schema.ts';

const KEY = component(
  'Key',
  objectOf({
    kind: { enum: ['public', 'secret', 'token', 'org_admin', 'operator'] },
    project_id: { ...STRING_OR_NULL, description: 'null: it is the key of an organization or of the operator.' },
    scopes: list({ enum: SCOPES }),
    personal: { type: 'boolean', description: 'Whether it sees personal data.' },
  }),
);

const ANY_KEY = { tags: ['service'], security: [{ header: [] }, { adminKey: [] }, { operatorKey: [] }] };

export const KEY_ROUTES: Routes = {
  '/key': {
    get: operation(ANY_KEY, 'showKey', 'Shows the kind, project and scopes of the key in the request.', {
      ok: json('The key.', KEY),
      handler:
        ({ gatekeeper, clients }) =>
        async (request, response) => {
          const credential = await gatekeeper.identify(request, clients.of(request).ip);
          const { kind } = credential;
          const [project_id, scopes] =
            'project' in credential ? [credential.project.id, credential.scopes] : [null, []];
          const personal = kind !== 'token' || credential.hashKey === null;
          sendJson(response, 200, { kind, project_id, scopes, personal });
        },
    }),
  },
};
