/** GET /openapi.json: the API in OpenAPI 3.1, built from a description of each endpoint. Tests check answers against it. */
import type { RequestHandler } from 'express';
import { VERSION } from '../../base/version.ts';
import { SCOPES } from '../../control/types.ts';
import { JSON_TYPE, sendBytes } from '../http/answer.ts';
import type { RouterContext } from '../context.ts';
import { ACCOUNT_PATHS, ACCOUNT_SCHEMAS, AUTH_PATHS, ADMIN_PATHS, ADMIN_SCHEMAS } from './accounts.ts';
import { DASHBOARD_PATHS, DASHBOARD_SCHEMAS } from './dashboards.ts';
import { INGEST_PATHS, INGEST_SCHEMAS } from './ingest.ts';
import {
  operation,
  withUsualErrors,
  json,
  list,
  parameter,
  ref,
  text,
  TEXT_OR_NULL,
  whole,
  ERROR_RESPONSES,
  ERROR_SCHEMA,
  ORG,
  PROJECT,
  TIME,
} from './operation.ts';
import { PRIVACY_PATHS, PRIVACY_SCHEMAS } from './privacy.ts';
import { PROJECT_PATHS, PROJECT_SCHEMAS } from './projects.ts';
import { PROJECT_QUERY_PATHS, QUERY_PATHS, QUERY_SCHEMAS } from './query.ts';
import type { HostSettings } from '../pages/layout.ts';

/** The whole description; `host` adds who runs it. */
export function describeApi(host?: HostSettings): Readonly<Record<string, unknown>> {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Windlass',
      version: VERSION,
      description: 'Product analytics: send events, query them with a pipe language.',
      ...contactOf(host),
      license: { name: 'MIT', identifier: 'MIT' },
    },
    paths: withUsualErrors({
      ...INGEST_PATHS,
      ...QUERY_PATHS,
      ...AUTH_PATHS,
      ...ACCOUNT_PATHS,
      ...ADMIN_PATHS,
      ...PROJECT_PATHS,
      ...PROJECT_QUERY_PATHS,
      ...DASHBOARD_PATHS,
      ...PRIVACY_PATHS,
      ...SERVICE_PATHS,
      ...PAGE_PATHS,
    }),
    webhooks: WEBHOOKS,
    components: {
      securitySchemes: {
        header: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'pk_, sk_ or aat_ of a project.' },
        parameter: { type: 'apiKey', in: 'query', name: 'key', description: 'As in the header.' },
        adminKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'ak_ of an organization.' },
        session: { type: 'apiKey', in: 'cookie', name: 'wl_session', description: 'Set by a login.' },
      },
      schemas: {
        Error: ERROR_SCHEMA,
        Key: KEY_SCHEMA,
        ...INGEST_SCHEMAS,
        ...QUERY_SCHEMAS,
        ...DASHBOARD_SCHEMAS,
        ...ACCOUNT_SCHEMAS,
        ...ADMIN_SCHEMAS,
        ...PROJECT_SCHEMAS,
        ...PRIVACY_SCHEMAS,
      },
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

export function openapi({ config }: RouterContext): RequestHandler {
  const text = Buffer.from(JSON.stringify(describeApi(config)));
  return (_request, response) => {
    response.setHeader('Access-Control-Allow-Origin', '*');
    sendBytes(response, JSON_TYPE, text);
  };
}

const SERVICE = { tags: ['service'], security: [] };

const SERVICE_PATHS = {
  '/key': {
    get: operation({ tags: ['service'], security: [{ header: [] }, { adminKey: [] }] }, 'showKey', 'Shows the kind, project and scopes of the key in the request.', {
      ok: json('The key.', ref('Key')),
    }),
  },
  '/healthz': { get: operation(SERVICE, 'healthz', 'Whether the process is alive.', { ok: word('ok') }) },
  '/readyz': { get: operation(SERVICE, 'readyz', 'Whether the service accepts events and queries.', { ok: word('ready') }) },
  '/openapi.json': {
    get: operation(SERVICE, 'openapi', 'This description.', { ok: json('OpenAPI 3.1.', { type: 'object', additionalProperties: true }) }),
  },
}; // prettier-ignore

const KEY_SCHEMA = whole({
  kind: { enum: ['public', 'secret', 'token', 'org_admin'] },
  project_id: { ...TEXT_OR_NULL, description: 'null: it is the key of an organization.' },
  scopes: list({ enum: SCOPES }),
});

function word(schema: string): unknown {
  return { description: 'Yes.', content: { 'text/plain': { schema: { const: schema } } } };
}

/** Describes the pages for /openapi.json. The console is for browsers only; see docs/console.md. */
const PAGES = { tags: ['pages'], security: [] };
const PAGE = text('A page.', 'text/html');
const MARKDOWN = text('Markdown.', 'text/plain');

const PAGE_PATHS = {
  '/': { get: operation(PAGES, 'landing', 'The landing page.', { ok: PAGE }) },
  '/login': {
    get: operation(PAGES, 'login', 'The login page.', {
      parameters: [
        parameter('return_to', 'Path of this host to return to after login.'),
        parameter('error', 'Why the login failed.'),
      ],
      ok: PAGE,
      answers: { '303': { description: 'Already logged in: redirects to the console.' } },
    }),
  },
  '/llms.txt': { get: operation(PAGES, 'llms', 'Everything an agent needs to use this host.', { ok: MARKDOWN }) },
  '/query-language.md': { get: operation(PAGES, 'queryLanguage', 'The query language.', { ok: MARKDOWN }) },
};

const LIMITS = ['projects', 'events_per_month', 'events_per_minute', 'queries_per_minute'];

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
  return whole({ type: { enum: types }, timestamp: TIME, data: whole(data) });
}
