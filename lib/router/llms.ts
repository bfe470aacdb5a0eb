/** GET /llms.txt: everything an agent needs to use this host, built from docs/, the settings and the description of the API. */
import type { RequestHandler } from './http/request.ts';
import { type Config, SETTINGS } from '../base/config/config.ts';
import { VERSION } from '../base/version.ts';
import { Lru } from '../base/lru.ts';
import { sendBytes } from './http/answer.ts';
import type { RouterContext } from './context.ts';
import { operation, type Routes } from './route/route.ts';
import { textAnswer } from './route/schema.ts';
import { docsEntries } from './pages/docs.ts';
import { installClient, installWl } from './pages/downloads.ts';
import { DocsPage, withAddress, hostAddress } from './pages/docs-page.ts';
import { bytes, spelledDuration, grouped } from './pages/figures.ts';

/** @param describeApi Describes all routes, this one too. */
export function llmsRoutes(describeApi: () => Readonly<Record<string, unknown>>): Routes {
  return {
    '/llms.txt': {
      get: operation({ tags: ['pages'], security: [] }, 'llms', 'Everything an agent needs to use this host.', {
        ok: textAnswer('Markdown.', 'text/plain'),
        handler: (services) => llms(services, describeApi()['paths']),
      }),
    },
  };
}

function llms(services: Pick<RouterContext, 'clients' | 'config' | 'publicUrl'>, paths: unknown): RequestHandler {
  const page = llmsText(services.config, paths);
  // Addresses of this host whose page is kept: as bytes, which all answers share, however many wait for their readers.
  const pages = new Lru<string, Buffer>(16);
  const written = (address: string): Buffer => {
    const bytes = Buffer.from(withAddress(page, address).replaceAll(ADDRESS, () => address));
    pages.set(address, bytes);
    return bytes;
  };
  return (request, response) => {
    const address = hostAddress(request, services);
    sendBytes(response, 'text/plain; charset=utf-8', pages.get(address) ?? written(address));
  };
}

const ADDRESS = '{address}';

/** The page, with a placeholder for the address of the host. */
function llmsText(config: Config, paths: unknown): string {
  const api = new DocsPage('http-api.md');
  const agents = new DocsPage('agents.md');
  const sdk = new DocsPage('sdk.md');
  return `# Windlass

> Product analytics: events in over HTTP, answers out of a pipe language as Markdown, JSON or CSV. This host is ${ADDRESS}, version ${VERSION}.${runBy(config)}

The shortest way: with a key that may query, POST ${ADDRESS}/query {"q": "inspect *"} to see which events there are, then ask.

- [OpenAPI 3.1](${ADDRESS}/openapi.json): every request and answer
- [Documentation](${ADDRESS}/docs/), of which this page has what agents need most
- \`wl\`, all of this at a terminal (Node 22.12 or newer): \`${installWl(ADDRESS)}\`, [how to use it](${ADDRESS}/docs/cli.md)
- [Log in](${ADDRESS}/login): a person makes projects, keys and tokens there

## Authentication

${api.section('## Keys')}

- \`pk_\`, public key of a project: /track and /identify alone.
- \`sk_\`, secret key of a project: all of the project.
- \`aat_\`, access token of a project, what its scopes say: \`track\` is /track and /identify, \`query\` is /query, reading /cohorts and their tools, \`admin\` is /api/gdpr, \`dashboards\` is /dashboards and writing /cohorts; with \`query\`, /alerts.
- \`ak_\`, admin key of an organization: /api/admin, and the list of its projects as a tool.

## Endpoints

${endpoints(paths)}

## Tools for agents

POST ${ADDRESS}/mcp speaks the Model Context Protocol (streamable HTTP, stateless) with a key in the header; \`wl mcp\` does so on stdin and stdout. [How to add it to an agent](${ADDRESS}/docs/agents.md).

${agents.section('## What an agent gets')}

## What to track

${sdk.section('## What to track')}

From pages, with the public key; it sends \`page_view\` by itself:

\`\`\`html
<script async src="${ADDRESS}/public/wl.js" data-key="pk_…" data-host="${ADDRESS}"></script>
\`\`\`

\`\`\`js
wl.track('signup', { plan: 'pro' });
wl.identify('user-17', { email: 'ann@example.com' }); // after login: the device and its earlier events are this user's
\`\`\`

From servers, with \`sk_\` or a token of scope \`track\`: POST /track and POST /identify below, the package windlass-client (\`${installClient(ADDRESS)}\`), or a library of Segment or RudderStack with this host. [All of them](${ADDRESS}/docs/sdk.md).

## POST /query

${api.section('## POST /query')}

## How to find your way

${agents.section('## What to tell a model')}

## The language

${new DocsPage('query-language.md').section('## Reference')}

## Dashboards

A dashboard is a YAML file of queries. [Its JSON Schema](${ADDRESS}/dashboard-schema.json), [the page about it](${ADDRESS}/docs/dashboards.md). The smallest:

\`\`\`yaml
version: 1
id: growth
title: Growth
sections:
  - cards:
      - title: Sign-ups
        kind: metric
        query: signup | last 30d | count
\`\`\`

PUT ${ADDRESS}/dashboards/growth with the YAML stores a version, the tool \`dashboards\` too; a wrong one is a 400 that lists what is wrong by line and column. People see it in the console.

## POST /track

${api.section('## POST /track')}

## POST /identify

${api.section('## POST /identify')}

## Limits of this host

These numbers hold here; where the text above names others, it means the defaults. Every 429 has \`Retry-After: 60\`.

${limits(config).join('\n')}

## Errors

${api.section('## Errors')}

## Documentation

All pages of ${ADDRESS}/docs/, as Markdown:

${docsEntries()
  .map(({ name, title }) => `- [${title}](${ADDRESS}/docs/${name}.md)`)
  .join('\n')}
`;
}

function runBy({ operator, operatorContact }: Config): string {
  const named = [operator, operatorContact?.href.replace(/^mailto:/, '')].filter(
    (part) => part !== null && part !== undefined,
  );
  return named.length === 0 ? '' : ` Run by ${named.join(', ')}.`;
}

/** The credentials of /openapi.json (`components.securitySchemes`), for those who look for what they can call. */
const CREDENTIALS = [
  ['header', 'With a key of a project (`pk_`, `sk_`, `aat_`) in `X-API-Key`'],
  ['adminKey', 'With the admin key of an organization (`ak_`) in `X-API-Key`'],
  ['operatorKey', 'With a key of the operator of the host (`op_`) in `X-API-Key`'],
  ['session', 'With the session of a person who has logged in with a browser (cookie `wl_session`)'],
  ['none', 'With nothing'],
] as const;

/** Methods, paths and what they do, from /openapi.json, grouped by the credential they need. */
function endpoints(paths: unknown): string {
  const groups = new Map<string, string[]>();
  for (const [path, methods] of fieldsOf(paths)) {
    for (const [method, operation] of fieldsOf(methods)) {
      const { summary, security } = Object.fromEntries(fieldsOf(operation));
      if (typeof summary !== 'string') continue;
      const credential = Array.isArray(security) ? (fieldsOf(security[0])[0]?.[0] ?? 'none') : 'none';
      groups.set(credential, [...(groups.get(credential) ?? []), `- \`${method.toUpperCase()} ${path}\`: ${summary}`]);
    }
  }
  return CREDENTIALS.map(([name, words]) => `### ${words}\n\n${(groups.get(name) ?? []).join('\n')}`).join('\n\n');
}

function fieldsOf(value: unknown): [string, unknown][] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}

/** The settings that a client can run into. */
const TOLD = [
  'bodyLimit',
  'batchLimit',
  'bulkLimit',
  'lineLimit',
  'bodyTimeout',
  'eventsPerMinute',
  'queryTimeout',
  'queryLength',
  'memory',
  'queryGroups',
  'queriesPerMinute',
  'queryConcurrency',
  'queryWait',
  'projectsPerMinute',
  'changesPerMinute',
  'orgsPerAccount',
  'authFailuresPerMinute',
  'loginsPerMinute',
] as const satisfies readonly (keyof Config)[];

function limits(config: Config): string[] {
  return TOLD.map((key) => {
    const value = config[key];
    const { type, help } = SETTINGS[key];
    if (type.name === 'size') return `- ${bytes(value)}: ${help}`;
    return `- ${type.name === 'duration' ? spelledDuration(value) : grouped(value)}: ${help}`;
  });
}
