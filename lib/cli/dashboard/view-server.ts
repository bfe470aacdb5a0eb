/**
 * The server of `wl dashboard view`: only on loopback, only for whoever has the address with its token. It queries the service
 * with the configured key, so nobody else may use it: no other page in the browser, no other name of this machine.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { ViewerAsset } from '../../dashboards/page/viewer-page.ts';
import {
  AskError,
  type AskCard,
  type CardQuestion,
  type CohortNames,
  type ProjectAnnotations,
} from '../../dashboards/run.ts';
import { ClientError } from '../client/client-error.ts';
import type { ViewedDashboards } from './viewed-dashboards.ts';
import { messageOf } from '../../base/errors.ts';
import { isRecord } from '../../base/is-record.ts';
import { readJson } from '../../base/text/read-json.ts';

/** A closed page is noticed when something is sent to it. */
const BEAT_MS = 25_000;
const HOST = '127.0.0.1';

const POLICY = [
  "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data: blob:", "connect-src 'self'",
  "font-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
].join('; '); // prettier-ignore

interface Parts {
  readonly dashboards: ViewedDashboards;
  readonly ask: AskCard;
  readonly cohorts: CohortNames;
  readonly annotations: ProjectAnnotations;
  /** HTML, the same for every address. */
  readonly page: string;
  /** By name below /assets. */
  readonly assets: ReadonlyMap<string, ViewerAsset>;
}

export class ViewServer {
  readonly #parts: Parts;
  readonly #server: Server;
  readonly #token = randomBytes(24).toString('base64url');
  #port = 0;
  #waiting = 0;

  private constructor(parts: Parts) {
    this.#parts = parts;
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch((error: unknown) => this.#fail(response, error));
    });
  }

  /** Listens; port 0 takes a free one. Throws ClientError when the port is taken. */
  static async start(parts: Parts, port: number): Promise<ViewServer> {
    const server = new ViewServer(parts);
    server.#server.listen(port, HOST);
    try {
      await once(server.#server, 'listening');
    } catch (error) {
      throw new ClientError(`Cannot listen on port ${port}: ${messageOf(error)}`);
    }
    const address = server.#server.address();
    server.#port = typeof address === 'object' && address !== null ? address.port : port;
    return server;
  }

  /** The address with the token, for a single browser. */
  get url(): string {
    return `${this.#origin}/?token=${this.#token}`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  get #origin(): string {
    return `http://${HOST}:${this.#port}`;
  }

  /** Cookies belong to a host, whatever its port: several viewers need different names. */
  get #cookie(): string {
    return `wl_view_${this.#port}`;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
    if (!this.#isOwnHost(request.headers.host))
      throw new ViewError(403, 'This server does not answer to that host name.');
    const url = this.#urlOf(request);
    const given = url.searchParams.get('token');
    if (given !== null && this.#isToken(given)) return this.#letIn(url, response);
    if (!this.#isToken(cookieOf(request, this.#cookie))) {
      throw new ViewError(403, 'Open the address that `wl dashboard view` printed.');
    }
    const { method = '' } = request;
    if (url.pathname === '/api/query') {
      if (method !== 'POST') throw new ViewError(405, 'Send queries with POST.');
      return this.#ask(request, response);
    }
    if (url.pathname === '/api/annotations' && method === 'GET')
      return sendJson(response, 200, await this.#parts.annotations());
    if (url.pathname === '/api/cohorts' && method === 'GET') {
      const names = await this.#parts.cohorts();
      return sendJson(
        response,
        200,
        names.map((name) => ({ name })),
      );
    }
    if (method !== 'GET' && method !== 'HEAD') throw new ViewError(405, 'Use GET.');
    this.#show(url.pathname, response);
  }

  #show(path: string, response: ServerResponse): void {
    const { dashboards, page, assets } = this.#parts;
    const [, root, name = '', ...rest] = path.split('/');
    const asset = root === 'assets' ? assets.get(name) : undefined;
    if (asset !== undefined) return send(response, { status: 200, type: asset.type, body: asset.body });
    if (path === '/' || (root === 'dashboard' && name !== '' && rest.length === 0)) {
      return send(response, { status: 200, type: 'text/html; charset=utf-8', body: page });
    }
    if (path === '/api/dashboards') {
      const list = dashboards
        .list()
        .map(({ id, title, order, file, problems }) => ({ id, title, order, file, problems }));
      return sendJson(response, 200, list);
    }
    if (path === '/api/changes') return this.#tellChanges(response);
    const found =
      root === 'api' && name === 'dashboards' && rest.length === 1 ? dashboards.find(decoded(rest[0] ?? '')) : null;
    if (found === null) throw new ViewError(404, 'Not found.');
    const { id, file, dashboard, problems } = found;
    sendJson(response, 200, { id, file, dashboard, problems });
  }

  /** Removes the token from the address, where screens and histories would show it. */
  #letIn(url: URL, response: ServerResponse): void {
    url.searchParams.delete('token');
    response.setHeader('Set-Cookie', `${this.#cookie}=${this.#token}; HttpOnly; SameSite=Strict; Path=/`);
    response.writeHead(303, { Location: `${url.pathname.replace(/^\/+/, '/')}${url.search}` }).end();
  }

  async #ask(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { origin, 'sec-fetch-site': site = 'same-origin' } = request.headers;
    if ((origin !== undefined && !this.#isOwnOrigin(origin)) || site !== 'same-origin') {
      throw new ViewError(403, 'Only this server’s own page may send queries.');
    }
    const question = await readQuestion(request);
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    sendJson(response, 200, await this.#parts.ask(question, gone.signal));
  }

  /** Server-sent events, one for each change of files. */
  #tellChanges(response: ServerResponse): void {
    if (this.#waiting >= 32) throw new ViewError(503, 'Too many pages are open.'); // pages waiting for changes
    this.#waiting += 1;
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    response.write(': waiting\n\n');
    const beat = setInterval(() => response.write(': still here\n\n'), BEAT_MS);
    const end = this.#parts.dashboards.onChange((ids) => {
      response.write(`event: change\ndata: ${JSON.stringify({ ids })}\n\n`);
    });
    response.once('close', () => {
      this.#waiting -= 1;
      clearInterval(beat);
      end();
    });
  }

  #fail(response: ServerResponse, error: unknown): void {
    if (response.headersSent) {
      response.destroy();
      return;
    }
    if (error instanceof ViewError) sendJson(response, error.status, { error: error.message, hints: [] });
    else if (error instanceof AskError)
      sendJson(response, 502, { error: error.message, hints: error.hint === null ? [] : [error.hint] });
    else if (error instanceof ClientError) sendJson(response, 502, { error: error.message, hints: error.hints });
    else sendJson(response, 500, { error: 'This is a bug of wl, please report it.', hints: [String(error)] });
  }

  /** The address below this server, whatever the request line says. */
  #urlOf({ url = '/' }: IncomingMessage): URL {
    const path = url.replace(/^\/+/, '/');
    if (!path.startsWith('/') || !URL.canParse(path, this.#origin))
      throw new ViewError(400, 'The address is malformed.');
    return new URL(path, this.#origin);
  }

  #isOwnHost(host: string | undefined): boolean {
    return host === `${HOST}:${this.#port}` || host === `localhost:${this.#port}`;
  }

  #isOwnOrigin(origin: string): boolean {
    return origin === this.#origin || origin === `http://localhost:${this.#port}`;
  }

  #isToken(given: string | null): boolean {
    const [left, right] = [Buffer.from(given ?? ''), Buffer.from(this.#token)];
    return left.length === right.length && timingSafeEqual(left, right);
  }
}

const HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': POLICY,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'no-store',
};

function send(
  response: ServerResponse,
  { status, type, body }: { status: number; type: string; body: string | Buffer },
): void {
  response.writeHead(status, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(body) });
  response.end(body); // Node omits its body for HEAD
}

function sendJson(response: ServerResponse, status: number, value: unknown): void {
  send(response, { status, type: 'application/json; charset=utf-8', body: JSON.stringify(value) });
}

function cookieOf({ headers: { cookie = '' } }: IncomingMessage, name: string): string | null {
  const pair = cookie.split(/; */).find((one) => one.startsWith(`${name}=`));
  return pair?.slice(name.length + 1) ?? null;
}

/** A path segment; one that cannot be decoded names nothing. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new ViewError(404, 'Not found.');
  }
}

/** An error that the viewer's server answers with a status. */
class ViewError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = 'ViewError';
    this.status = status;
  }
}

/** Rejects with ViewError. */
async function readQuestion(request: IncomingMessage): Promise<CardQuestion> {
  // A page of another origin cannot send this type without a preflight.
  if (request.headers['content-type']?.startsWith('application/json') !== true) throw new ViewError(415, 'Send JSON.');
  const chunks: Buffer[] = [];
  let length = 0;
  const parts: AsyncIterable<Buffer> = request;
  for await (const part of parts) {
    length += part.length;
    if (length > 131_072) throw new ViewError(413, 'The query is too long.'); // bytes, as in POST /query
    chunks.push(part);
  }
  const { q, timezone = null, limit } = parsed(Buffer.concat(chunks).toString('utf8'));
  const isLimit = typeof limit === 'number' && Number.isInteger(limit) && limit >= 1 && limit <= 10_000;
  if (typeof q !== 'string' || !isLimit || !(timezone === null || typeof timezone === 'string')) {
    throw new ViewError(400, 'Send {"q", "timezone", "limit"}.');
  }
  return { q, timezone, limit };
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = readJson(text);
    return isRecord(value) ? value : {};
  } catch {
    throw new ViewError(400, 'The body is not JSON.');
  }
}
