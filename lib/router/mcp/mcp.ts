/**
 * POST /mcp: the Model Context Protocol over streamable HTTP, without sessions: every message brings its key and is answered by
 * itself, so a restart of the service or another node behind a balancer changes nothing for a client.
 */
import type { ServerResponse } from 'node:http';
import ipaddr from 'ipaddr.js';
import { AppError } from '../../base/errors.ts';
import { isLoopback } from '../../base/net/loopback.ts';
import { monotonic } from '../../base/monotonic.ts';
import { isOwnOrigin } from '../auth/sessions.ts';
import type { RouterContext } from '../context.ts';
import { sendText } from '../http/answer.ts';
import { encodingOf, inflateSmall, parseBody } from '../http/body.ts';
import { Deadline } from '../http/deadline.ts';
import { isSwitchedOn } from '../http/query-string.ts';
import type { Request } from '../http/request.ts';
import { QUERY_BODY_LIMIT } from '../query/query-request.ts';
import { managementOf } from '../route/in-turn.ts';
import { jsonContent, operation, type Routes } from '../route/route.ts';
import type { Caller } from './tool.ts';
import { ANY_STRING, json, objectOf, parameter } from '../route/schema.ts';

const MESSAGE = {
  ...objectOf({ jsonrpc: { const: '2.0' } }),
  additionalProperties: true,
  description: 'JSON-RPC, one message.',
};

export const MCP_ROUTES: Routes = {
  '/mcp': {
    post: operation(
      { tags: ['agents'], security: [{ header: [] }, { bearer: [] }, { adminKey: [] }] },
      'mcp',
      'Answers a message of the Model Context Protocol (streamable HTTP, stateless).',
      {
        parameters: [parameter('write', 'Whether the tools `track` and `identify` are there.', { type: 'boolean' })],
        requestBody: jsonContent(MESSAGE),
        ok: {
          description: 'The answer to a request.',
          content: { 'application/json': { schema: MESSAGE }, 'text/event-stream': { schema: ANY_STRING } },
        },
        answers: {
          '202': { description: 'A notification was taken.' },
          '406': json('`Accept` lacks application/json or text/event-stream.', MESSAGE),
          '415': json('The body is not application/json.', MESSAGE),
        },
        handler: (services) => (request, response) => answer(services, request, response),
      },
    ),
  },
};

async function answer(services: RouterContext, request: Request, response: ServerResponse): Promise<void> {
  const arrival = Date.now();
  const deadline = new Deadline(monotonic(), services.config.queryTimeout, response);
  try {
    refuseForeign(services, request);
    const credential = await admit(services, request);
    const message = await messageOf(services, credential, { request, response });
    const writes = isSwitchedOn(request, 'write');
    const { protocolFor } = await import('./protocol.ts');
    const protocol = protocolFor({ services, request, response, credential, writes, arrival, deadline });
    await send(response, await protocol.fetch(webRequest(request), { parsedBody: message }));
  } finally {
    deadline.end();
  }
}

/** Throws AppError 401 without a valid key in a header, 403 for a public one, which pages show to everybody, and an operator's. */
async function admit({ gatekeeper, clients }: RouterContext, request: Request): Promise<Caller> {
  const credential = await gatekeeper.identify(request, clients.of(request).ip);
  if (credential.kind !== 'public' && credential.kind !== 'operator') return credential;
  throw new AppError('forbidden', 'There are no tools for this kind of key.', {
    hints: ['Use an access token (aat_) with scope "query", or the secret key (sk_) of the project.'],
  });
}

/** One message: a client that could send a thousand in a body would pass the limits of requests. */
async function messageOf(
  { bodies }: RouterContext,
  credential: Caller,
  { request, response }: { readonly request: Request; readonly response: ServerResponse },
): Promise<unknown> {
  const encoding = encodingOf(request);
  const tenant = credential.kind === 'org_admin' ? managementOf(credential.orgId) : credential.project;
  const bounds = { tenant, limit: QUERY_BODY_LIMIT, hint: 'Send a shorter message.' };
  const packed = await bodies.receive(request, response, bounds);
  const message = parseBody(await inflateSmall(packed, encoding, QUERY_BODY_LIMIT));
  if (!Array.isArray(message)) return message;
  throw new AppError('bad_request', 'A body is one message, not a list.', { hints: ['Send them one after another.'] });
}

/**
 * Throws AppError 403 for a name that is not this service's: a page that has made its own name mean this address (DNS rebinding)
 * speaks with the right of whoever looks at it. Addresses are no names, and a trusted proxy is no page. An `Origin` must be the
 * service's own; programs send none.
 */
function refuseForeign({ config, publicUrl, clients }: RouterContext, request: Request): void {
  const { host = '', origin } = request.headers;
  const name = URL.parse(`http://${host}`)?.hostname ?? '';
  const isOurs =
    isLoopback(name) ||
    ipaddr.isValid(name.replace(/^\[(.*)\]$/, '$1')) ||
    name === new URL(publicUrl()).hostname ||
    clients.of(request).trusted;
  if (!isOurs) {
    throw new AppError('forbidden', 'The Host header names another server.', {
      hints: [
        config.url === null
          ? 'Set WINDLASS_URL to the address by which clients reach this server.'
          : 'Use the address in WINDLASS_URL. A proxy in front should pass the Host header on, or be in WINDLASS_TRUSTED_PROXIES.',
      ],
    });
  }
  if (origin === undefined || isOwnOrigin(request)) return;
  throw new AppError('forbidden', 'The Origin header names another site: pages of others may not use this.');
}

/** The body is read already, and the path counts for nothing. */
function webRequest({ headers }: Request): globalThis.Request {
  const named = Object.entries(headers).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value] as const] : [],
  );
  return new globalThis.Request('http://localhost/mcp', { method: 'POST', headers: Object.fromEntries(named) });
}

async function send(response: ServerResponse, answered: Response): Promise<void> {
  const text = await answered.text();
  if (response.destroyed) return;
  const type = answered.headers.get('content-type');
  if (type !== null) return sendText(response, answered.status, type, text);
  response.writeHead(answered.status, { 'Content-Length': 0 });
  response.end();
}
