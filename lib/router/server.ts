/** The HTTP server: its timeouts, and answers to what is not HTTP. */
import type { RequestListener, Server, ServerOptions } from 'node:http';
import type { Duplex } from 'node:stream';
import { formatAddress } from '../base/address.ts';
import { createServer } from '../base/net/node-http.ts';
import type { Config } from '../base/config/config.ts';
import { ConfigError } from '../base/config/setting-source.ts';
import type { Address } from '../base/config/setting-types.ts';
import { commonHeaders } from './http/common-headers.ts';

/** Milliseconds. Kept-alive connections outlive those of common balancers (60 s), which must close first. */
const KEEP_ALIVE_MS = 75_000;
const HEADERS_MS = 30_000;
/** Limit of a silent connection. Longer than a bulk stream is held back (a minute), and than any query runs. */
const IDLE_MS = 120_000;
const QUERY_MARGIN_MS = 10_000;

export function createHttpServer(
  listener: RequestListener,
  { queryTimeout, url }: Pick<Config, 'queryTimeout' | 'url'>,
): Server {
  const options: ServerOptions = {
    keepAliveTimeout: KEEP_ALIVE_MS,
    headersTimeout: HEADERS_MS,
    requestTimeout: 0, // it would cut slow bulk uploads; BodyReceiver times all other bodies
    connectionsCheckingInterval: 5_000,
    requireHostHeader: false, // the listener answers that itself, in our format
  };
  const server = createServer(options, listener);
  server.timeout = Math.max(IDLE_MS, queryTimeout + QUERY_MARGIN_MS);
  server.on('checkContinue', listener); // a refusal needs no body: handlers that want it send "continue"
  server.on('checkExpectation', listener); // unknown expectations may be ignored (RFC 9110, 10.1.1)
  server.on('clientError', answerNonsense(url));
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

/** What Node could not parse as a request still gets an answer in our format. */
function answerNonsense(url: string | null): (error: NodeJS.ErrnoException, socket: Duplex) => void {
  const headers = commonHeaders(url).map(([name, value]) => `${name}: ${value}\r\n`);
  return (error, socket) => {
    if (!socket.writable || error.code === 'ECONNRESET') {
      socket.destroy();
      return;
    }
    const [status, message] = REASONS.get(error.code ?? '') ?? ['400 Bad Request', 'The request is not valid HTTP.'];
    const body = JSON.stringify({ error: message, code: 'bad_request' });
    socket.end(
      `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Type: application/json; charset=utf-8\r\n` +
        `${headers.join('')}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
  };
}

const REASONS = new Map<string, readonly [status: string, message: string]>([
  ['HPE_HEADER_OVERFLOW', ['431 Request Header Fields Too Large', 'The headers are larger than 16 KiB.']],
  ['ERR_HTTP_REQUEST_TIMEOUT', ['408 Request Timeout', 'The headers did not arrive in time.']],
]);
