import type { RequestListener, Server } from 'node:http';
import { createServer } from 'node:http';

/** An HTTP server on loopback. */
export interface Listening {
  readonly url: string;
  stop(): Promise<void>;
}

/** `make` gets the address before the first request. `port` 0: any free one. */
export async function listenOnLoopback(make: (url: string) => RequestListener, port = 0): Promise<Listening> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const url = `http://127.0.0.1:${address.port}`;
  server.on('request', make(url));
  return { url, stop: () => stop(server) };
}

/** The body of a request as a form. */
export async function formOf(request: AsyncIterable<Buffer>): Promise<URLSearchParams> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece);
  return new URLSearchParams(Buffer.concat(pieces).toString('utf8'));
}

function stop(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.close((error) => (error === undefined ? resolve() : reject(error)));
    server.closeAllConnections();
  });
}
