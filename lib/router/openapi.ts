/** GET /openapi.json: the API in OpenAPI 3.1, made of its routes. Tests check answers against it. */
import { NEAR_PERCENTS } from '../control/types.ts';
import { VERSION } from '../base/version.ts';
import { JSON_TYPE, sendBytes } from './http/answer.ts';
import type { HostSettings } from './pages/layout.ts';
import { ERROR_RESPONSES, errors, type Status } from './route/error-answers.ts';
import { operation, type Routes, SESSION_ACCESS, type Shown } from './route/route.ts';
import { componentsOf, json, KEYED, ORG, PROJECT, ANY_STRING, DATE_TIME, objectOf } from './route/schema.ts';

/** Describes routes. @param names What the names in their paths stand for. @param host Adds who runs them. */
export function describe(
  routes: Routes,
  names: Readonly<Record<string, string>>,
  host?: HostSettings,
): Readonly<Record<string, unknown>> {
  const paths = pathsOf(routes, names);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Windlass',
      version: VERSION,
      description: 'Product analytics: send events, query them with a pipe language.',
      ...contactOf(host),
      license: { name: 'MIT', identifier: 'MIT' },
    },
    paths,
    webhooks: WEBHOOKS,
    components: {
      securitySchemes: {
        header: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'pk_, sk_ or aat_ of a project.' },
        basic: { type: 'http', scheme: 'basic', description: 'pk_, sk_ or aat_ of a project as the user.' },
        bearer: { type: 'http', scheme: 'bearer', description: 'As in the header.' },
        parameter: { type: 'apiKey', in: 'query', name: 'key', description: 'As in the header.' },
        adminKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'ak_ of an organization.' },
        operatorKey: {
          type: 'apiKey',
          in: 'header',
          name: 'X-API-Key',
          description: 'op_ of the operator of the host.',
        },
        session: { type: 'apiKey', in: 'cookie', name: 'wl_session', description: 'Set by a login.' },
      },
      schemas: componentsOf({ paths, ERROR_RESPONSES }),
      responses: ERROR_RESPONSES,
    },
  };
}

function contactOf(host?: HostSettings): object {
  const { operator: name = null, operatorContact = null } = host ?? {};
  if (name === null && operatorContact === null) return {};
  const { href, text: email } = operatorContact ?? { href: null, text: null };
  const reached = href === null ? {} : href.startsWith('mailto:') ? { email } : { url: href };
  return { contact: { ...(name !== null && { name }), ...reached } };
}

function pathsOf(routes: Routes, names: Readonly<Record<string, string>>): Readonly<Record<string, unknown>> {
  const paths = Object.entries(routes).map(([path, operations]) => {
    const shown = Object.entries(operations).flatMap(([method, { shown }]) =>
      shown === null ? [] : [[method, withUsualErrors(path, method, shown)] as const],
    );
    const parameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
      ...{ name, in: 'path', required: true, description: names[name], schema: ANY_STRING },
    }));
    return [
      path,
      { ...(parameters.length > 0 && { parameters }), ...Object.fromEntries(shown) },
      shown.length,
    ] as const;
  });
  return Object.fromEntries(paths.flatMap(([path, item, count]) => (count === 0 ? [] : [[path, item]])));
}

/** Adds the errors that follow from who may call an operation, from its method and path, and from what it takes. */
function withUsualErrors(path: string, method: string, operation: Shown): Shown {
  const { security, parameters = [], requestBody, responses } = operation;
  const usual: Status[] = requestBody === undefined ? [] : [400, 413];
  if (path.includes('{')) usual.push(400); // an escape in the path that is none
  if (security.length > 0) {
    usual.push(401, 429);
    if (parameters !== KEYED.parameters && parameters.length > 0) usual.push(400);
    if (security !== SESSION_ACCESS.security || method !== 'get' || path.includes('{projectID}')) usual.push(403);
    if (path.includes('{') && method !== 'put') usual.push(404); // a PUT may create it
  }
  return { ...operation, responses: { ...responses, ...errors(...usual) } };
}

/** @param describeApi Describes all routes, these too. */
export function openapiRoutes(describeApi: (host: HostSettings) => unknown): Routes {
  return {
    '/openapi.json': {
      get: operation({ tags: ['service'], security: [] }, 'openapi', 'This description.', {
        ok: json('OpenAPI 3.1.', { type: 'object', additionalProperties: true }),
        handler: ({ config }) => {
          const text = Buffer.from(JSON.stringify(describeApi(config)));
          return (_request, response) => {
            response.setHeader('Access-Control-Allow-Origin', '*');
            sendBytes(response, JSON_TYPE, text);
          };
        },
      }),
    },
  };
}

const LIMITS = ['projects', 'events_per_month', 'events_per_minute', 'queries_per_minute'];

/** Messages to the host. */
export const WEBHOOKS = {
  hostMessage: {
    post: {
      operationId: 'receiveHostMessage',
      tags: ['webhooks'],
      summary: 'Sent to WINDLASS_WEBHOOK_URL, signed according to Standard Webhooks; at least once, in no fixed order.',
      parameters: [
        header('webhook-id', 'The same at every try.', { type: 'string', pattern: '^msg_' }),
        header('webhook-timestamp', 'Of this try, seconds since the epoch.', { type: 'string', pattern: '^\\d+$' }),
        header('webhook-signature', 'Of id, timestamp and body.', { type: 'string', pattern: '^v1,' }),
      ],
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: {
              oneOf: [
                message(['project.created', 'project.deleted'], { org_id: ORG, project_id: PROJECT }),
                message(['limit.reached'], {
                  org_id: ORG,
                  project_id: { anyOf: [PROJECT, { type: 'null' }], description: "null: the organization's own." },
                  limit: { enum: LIMITS },
                }),
                message(['limit.near'], {
                  org_id: ORG,
                  project_id: {
                    anyOf: [PROJECT, { type: 'null' }],
                    description: 'null: the limit of the organization.',
                  },
                  limit: { const: 'events_per_month' },
                  percent: { enum: NEAR_PERCENTS, description: 'How much of it is used.' },
                }),
                message(['damage.found'], {
                  where: { enum: ['shard', 'journal'] },
                  project_id: { anyOf: [PROJECT, { type: 'null' }], description: 'null: that cannot be told.' },
                }),
                message(['webhook.test'], {}),
              ],
            },
          },
        },
      },
      responses: { '2XX': { description: 'Received. With any other answer it is sent again.' } },
    },
  },
};

function header(name: string, description: string, schema: object): object {
  return { name, in: 'header', required: true, description, schema };
}

function message(types: readonly string[], data: Readonly<Record<string, object>>): object {
  return objectOf({ type: { enum: types }, timestamp: DATE_TIME, data: objectOf(data) });
}
