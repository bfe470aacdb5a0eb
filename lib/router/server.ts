/** The HTTP server, and its timeouts. */
import type { RequestListener, Server, ServerOptions } from 'node:http';
import { formatAddress } from '../base/address.ts';
import { createServer } from '../base/net/node-http.ts';
import type { Config } from '../base/config/config.ts';
import { ConfigError } from '../base/config/setting-source.ts';
import type { Address } from '../base/config/setting-types.ts';
import { answerNonsense } from './http/not-http.ts';

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
  // Some clients send their request, close their side and read: what they sent is stored, so they must learn of it.
  Object.assign(server, { httpAllowHalfOpen: true });
  server.on('connection', (socket) => socket.setMaxListeners(0)); // each pipelined query waits for its end
  server.timeout = Math.max(IDLE_MS, queryTimeout + QUERY_MARGIN_MS);
  server.on('checkContinue', listener); // a refusal needs no body: handlers that want it send "continue"
  server.on('checkExpectation', listener); // unknown expectations may be ignored (RFC 9110, 10.1.1)
  answerNonsense(server, url);
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
