import { once } from 'node:events';
import type { RequestListener, Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { createHttpServer, listen } from '../../../lib/router/server.ts';

/** In ms: connections on which nothing moves are closed after IDLE; LONG is several times that. */
const IDLE = 400;
const LONG = 1_500;
const head = (length: number): string => `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\n`;
/** More than the kernel, the socket and the request take before the service reads it. */
const MUCH = Buffer.alloc(16 << 20);

describe('a connection on which nothing moves', () => {
  let server: Server;
  let socket: Socket;
  afterEach(() => {
    socket.destroy();
    server.close();
    server.closeAllConnections();
  });

  async function opened(listener: RequestListener): Promise<Socket> {
    server = createHttpServer(listener, { url: null });
    server.timeout = IDLE;
    const { port } = await listen(server, { host: '127.0.0.1', port: 0 }, 'test');
    socket = connect(port, '127.0.0.1').on('error', () => undefined);
    await once(socket, 'connect');
    return socket;
  }
  const answered = async (): Promise<string> =>
    Promise.race([once(socket, 'data').then(([data]) => String(data)), once(socket, 'close').then(() => 'closed')]);
  /** Milliseconds until it is closed. */
  async function closed(): Promise<number> {
    const since = performance.now();
    await once(socket, 'close');
    return performance.now() - since;
  }

  it('stays while the service works on a request that has come whole', async () => {
    await opened((request, response) => {
      request.resume().once('end', () => void sleep(LONG).then(() => response.end('done')));
    });
    socket.write(`${head(4)}text`);
    expect(await answered()).to.contain('200 OK');
  });

  it('stays while the service holds the stream of a client back', async () => {
    await opened((request, response) => {
      void sleep(LONG).then(() => {
        request.socket.setTimeout(0); // from here on it reads
        request.resume().once('end', () => response.end('done'));
      });
    });
    socket.write(head(MUCH.length));
    socket.write(MUCH);
    expect(await answered()).to.contain('200 OK');
  });

  it('is closed where the client closed its side and may be gone, though the service works', async () => {
    await opened((request, response) => {
      request.resume().once('end', () => void sleep(2 * LONG).then(() => response.end('done')));
    });
    socket.end(`${head(4)}text`).resume();
    expect(await closed()).to.be.within(IDLE / 2, 2 * LONG - IDLE);
  });

  it('is closed where the client stops in the midst of a body', async () => {
    await opened((request) => void request.resume());
    socket.write(`${head(4)}te`);
    expect(await closed()).to.be.below(LONG);
  });

  it('is closed where the client does not read its answer', async () => {
    const ends: Promise<unknown>[] = [];
    await opened((_request, response) => {
      ends.push(once(response, 'close'));
      response.end(MUCH);
    });
    socket.pause().write(head(0));
    while (ends.length === 0) await sleep(10);
    expect(await Promise.race([ends[0]!.then(() => 'closed'), sleep(LONG).then(() => 'open')])).to.equal('closed');
  });

  it('has the limit of its endpoint, also after the service was slow', async () => {
    const ends: Promise<unknown>[] = [];
    await opened((_request, response) => {
      response.setTimeout(IDLE);
      ends.push(once(response, 'close'));
      void sleep(LONG).then(() => response.end(MUCH));
    });
    server.timeout = 60 * LONG;
    socket.pause().write(head(0));
    while (ends.length === 0) await sleep(10);
    const first = await Promise.race([ends[0]!.then(() => 'closed'), sleep(LONG - IDLE / 2).then(() => 'open')]);
    expect(first, 'while the service works').to.equal('open');
    const then = await Promise.race([ends[0]!.then(() => 'closed'), sleep(2 * LONG).then(() => 'open')]);
    expect(then, 'while the client does not read').to.equal('closed');
  });

  it('is closed between requests', async () => {
    await opened((_request, response) => void response.end('done'));
    server.keepAliveTimeout = IDLE;
    socket.write(head(0));
    expect(await answered()).to.contain('200 OK');
    expect(await closed()).to.be.below(3 * LONG);
  });
});
