/** The HTTP server, and its timeouts. */
import type { RequestListener, Server, ServerOptions, ServerResponse } from 'node:http';
import { formatAddress } from '../base/address.ts';
import { createServer } from '../base/net/node-http.ts';
import type { Config } from '../base/config/config.ts';
import { ConfigError } from '../base/config/setting-source.ts';
import type { Address } from '../base/config/setting-types.ts';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { tellBroken } from './http/body.ts';
import { commonHeaders } from './http/answer.ts';
import { Exchanges } from './http/exchanges.ts';

export function createHttpServer(listener: RequestListener, { url }: Pick<Config, 'url'>): Server {
  const options: ServerOptions = {
    keepAliveTimeout: 75_000, // longer than common balancers keep theirs (60 s), which must close first
    headersTimeout: 30_000,
    requestTimeout: 0, // it would cut slow bulk uploads; BodyReceiver times all other bodies
    connectionsCheckingInterval: 5_000,
    requireHostHeader: false, // the listener answers that itself, in our format
  };
  const server = createServer(options);
  const exchanges = new Exchanges(listener); // a refusal needs no body: handlers that want it send "continue"
  exchanges.take(server); // unknown expectations, too, which may be ignored (RFC 9110, 10.1.1)
  // Some clients send their request, close their side and read: what they sent is stored, so they must learn of it.
  Object.assign(server, { httpAllowHalfOpen: true });
  server.timeout = 120_000; // limit of a connection on which nothing moves while its client is waited for
  server.on('timeout', (socket: Socket) => {
    if (isWaitingForUs(socket, exchanges.on(socket)?.unanswered[0]))
      socket.setTimeout(socket.timeout ?? server.timeout); // an endpoint may have shortened it
    else socket.destroy();
  });
  answerNonsense(server, url, exchanges);
  return server;
}

/** Listens, and resolves with the address; rejects with a ConfigError that names `setting` if it cannot. */
export async function listen(server: Server, { host, port }: Address, setting: string): Promise<Address> {
  await new Promise<void>((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException): void => {
      const why = error.code === 'EADDRINUSE' ? 'something else listens there' : error.message;
      reject(new ConfigError(`${setting}: cannot listen on ${formatAddress({ host, port })}: ${why}.`));
    };
    server.once('error', fail);
    server.listen({ host, port }, () => {
      server.off('error', fail); // it would hide the first error of the server
      resolve();
    });
  });
  const bound = server.address();
  return { host, port: bound !== null && typeof bound === 'object' ? bound.port : port };
}

/**
 * Whether nothing moves because of the service: it works on an answer, such as that to a long stream or an erasure, or does not
 * read on, as it does with a stream that is too fast.
 */
function isWaitingForUs(socket: Socket, next: ServerResponse | undefined): boolean {
  if (next === undefined || socket.writableLength > 0) return false; // the client does not read what it was sent
  if (socket.readableEnded) return false; // it has closed its side, and may be gone
  return next.req.complete || socket.isPaused();
}

/** In our format, and after the answers to the requests before it on the connection. @param url WINDLASS_URL, for the headers of every answer. */
function answerNonsense(server: Server, url: string | null, exchanges: Exchanges): void {
  const headers = commonHeaders(url).map(([name, value]) => `${name}: ${value}\r\n`);
  const refused = new WeakSet<Duplex>(); // every later piece of such a connection is an error, too
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (refused.has(socket)) return;
    refused.add(socket);
    if (error.code === 'ECONNRESET') {
      socket.destroy();
      return;
    }
    const { last, unanswered } = exchanges.on(socket) ?? { last: null, unanswered: [] };
    const isInBody = last?.req.complete === false;
    if (isInBody && !last.headersSent && tellBroken(last.req)) {
      last.once('close', () => socket.end());
      return;
    }
    const end = (): void => {
      if (!socket.writable) return; // Node closes it once the answers are sent
      if (isInBody && last.headersSent) socket.end();
      else socket.end(refusal(error.code, headers));
    };
    // The requests before it are good, and may have stored events: their senders must learn of it.
    const before = unanswered.filter((response) => response !== last || !isInBody || response.headersSent).at(-1);
    if (before === undefined) end();
    else before.once('close', end);
  });
}

function refusal(code: string | undefined, headers: readonly string[]): string {
  const [status, message] = REASONS.get(code ?? '') ?? ['400 Bad Request', 'The request is not valid HTTP.'];
  const body = JSON.stringify({ error: message, code: 'bad_request' });
  return (
    `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Type: application/json; charset=utf-8\r\n` +
    `${headers.join('')}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  );
}

const REASONS = new Map<string, readonly [status: string, message: string]>([
  ['HPE_HEADER_OVERFLOW', ['431 Request Header Fields Too Large', 'The path and the headers are larger than 16 KiB.']],
  ['ERR_HTTP_REQUEST_TIMEOUT', ['408 Request Timeout', 'The headers did not arrive in time.']],
]);
