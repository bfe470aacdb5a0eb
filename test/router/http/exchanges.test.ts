import { once } from 'node:events';
import type { RequestListener, Server, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { createHttpServer, listen } from '../../../lib/router/server.ts';
import { sharedService } from '../../support/shared-service.ts';

const get = (path: string, headers = ''): string => `GET ${path} HTTP/1.1\r\nHost: a\r\n${headers}\r\n`;
/** More than the kernel takes for a client that does not read. */
const MUCH = Buffer.alloc(1 << 20, 'x');

describe('requests that a connection sends ahead', () => {
  let server: Server;
  let port: number;
  const sockets: Socket[] = [];
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
    server.close();
    server.closeAllConnections();
  });

  async function serve(listener: RequestListener): Promise<void> {
    server = createHttpServer(listener, { url: null });
    ({ port } = await listen(server, { host: '127.0.0.1', port: 0 }, 'test'));
  }
  async function open(text: string): Promise<Socket> {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    sockets.push(socket);
    await once(socket, 'connect');
    socket.write(text);
    return socket;
  }
  async function readTo(socket: Socket, end: string): Promise<string> {
    const pieces: Buffer[] = [];
    for await (const piece of socket as AsyncIterable<Buffer>) {
      pieces.push(piece);
      if (Buffer.concat(pieces.slice(-2)).toString('latin1').endsWith(end)) break;
    }
    return Buffer.concat(pieces).toString('latin1');
  }
  const pathsIn = (text: string): string[] => [...text.matchAll(/x-path: (\S+)/g)].map(([, path]) => path!);
  const paths = (count: number): string[] => Array.from({ length: count }, (_, n) => `/${n}`);

  it('begin when the system has the answers before them, so that one answer waits at most, and all come in order', async () => {
    const waiting: number[] = [];
    await serve((request, response) => {
      waiting.push(request.socket.writableLength);
      response.setHeader('x-path', request.url!);
      response.end(request.url === '/39' ? 'the end' : MUCH);
    });
    const socket = (await open(paths(40).map((path) => get(path)).join(''))).pause(); // prettier-ignore
    let before = -1;
    for (; before < waiting.length; await sleep(200)) before = waiting.length;
    expect(before, 'begun for a client that does not read').to.be.within(1, 20);
    expect(pathsIn(await readTo(socket, 'the end'))).to.deep.equal(paths(40));
    expect(waiting).to.deep.equal(new Array(40).fill(0));
  });

  it('leave the event loop to others after each', async () => {
    let turn = 0;
    const turns: number[] = [];
    await serve((_request, response) => {
      turns.push(turn);
      response.end('done');
    });
    let ticking = setImmediate(function tick() {
      turn++;
      ticking = setImmediate(tick);
    });
    (await open(paths(100).map((path) => get(path)).join(''))).resume(); // prettier-ignore
    while (turns.length < 100) await sleep(1);
    clearImmediate(ticking);
    expect(new Set(turns).size).to.equal(100);
  });

  it('are not read while many wait', async () => {
    const held: ServerResponse[] = [];
    let came = 0;
    await serve((request, response) => {
      response.setHeader('x-path', request.url!);
      if (request.url === '/0') held.push(response);
      else response.end(request.url === '/199' ? 'the end' : '');
    });
    server.on('request', () => came++);
    const socket = await open(paths(200).map((path) => get(path, `Cookie: ${'x'.repeat(8_000)}\r\n`)).join('')); // prettier-ignore
    let before = -1;
    for (; before < came; await sleep(200)) before = came;
    expect(came, 'requests of 8 KB').to.be.within(16, 50);
    held[0]!.end();
    expect(pathsIn(await readTo(socket, 'the end'))).to.deep.equal(paths(200));
  });

  it('never begin once their connection is lost, or an answer has closed it', async () => {
    const begun: string[] = [];
    const held: ServerResponse[] = [];
    await serve((request, response) => {
      begun.push(request.url!);
      if (request.url === '/held') held.push(response);
      else response.setHeader('Connection', 'close').end('closed');
    });
    const lost = await open(get('/held') + get('/later'));
    while (held.length === 0) await sleep(1);
    const gone = once(held[0]!, 'close');
    lost.resetAndDestroy();
    await gone;
    const closed = await open(get('/closing') + get('/later'));
    expect(await readTo(closed, 'closed')).to.match(/closed$/);
    await sleep(20);
    expect(begun).to.deep.equal(['/held', '/closing']);
  });

  it('are bounded on all connections together: one whose requests find no room is cut, and others are served', async () => {
    const held: ServerResponse[] = [];
    await serve((request, response) => void (request.url === '/held' ? held.push(response) : response.end('served')));
    const cut: Promise<unknown>[] = [];
    for (let n = 0; n < 80; n++) cut.push(once(await open(get('/held').repeat(256)), 'close'));
    await Promise.race(cut);
    expect(held.length).to.be.at.least(60);
    expect(await readTo(await open(get('/')), 'served')).to.contain('200 OK');
  });
});

describe('a connection to the service', () => {
  it('gets all answers in order, of whatever endpoint, when it reads only after it has asked for all', async () => {
    const { url, keys } = await sharedService();
    const post = (path: string, body: string): string =>
      `POST ${path} HTTP/1.1\r\nHost: a\r\nX-API-Key: ${keys.secretKey}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    const some = [
      [get('/llms.txt'), 200],
      [get('/openapi.json'), 200],
      [get('/nothing'), 404],
      [get('/public/wl.js'), 200],
      [get('/console', 'Accept: text/html\r\n'), 303],
      [post('/track', '{"event_type":"a"}'), 200],
      [get('/api/orgs'), 401],
      [post('/query', '{"q":"a | count"}'), 200],
      [`HEAD /llms.txt HTTP/1.1\r\nHost: a\r\n\r\n`, 200],
      [post('/login', ''), 405],
    ] as const;
    const all = Array.from({ length: 20 }, () => some).flat();
    const socket = connect(Number(new URL(url).port), '127.0.0.1').pause();
    socket.write(all.map(([request]) => request).join('') + get('/healthz', 'Connection: close\r\n'));
    await sleep(300);
    let text = '';
    for await (const piece of socket) text += String(piece);
    const statuses = [...text.matchAll(/^(?:.*[^ ])?HTTP\/1\.1 (\d{3}) [A-Z]/gm)].map(([, status]) => Number(status));
    expect(statuses).to.deep.equal([...all.map(([, status]) => status), 200]);
  });
});
