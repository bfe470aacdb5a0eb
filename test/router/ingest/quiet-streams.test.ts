import { once } from 'node:events';
import { IncomingMessage } from 'node:http';
import net from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { fetch } from '../../support/checked-fetch.ts';
import { inflaterBytes } from '../../../lib/base/inflate.ts';
import { watchStream } from '../../../lib/router/ingest/bulk.ts';
import { startTestService, type TestService } from '../../support/service.ts';

const LINE = '{"event_type":"a","user_id":"u"}\n';

/** Compressed with a window of 2 ** `bits` bytes. */
const brotli = (body: string | Buffer, bits: number): Buffer =>
  brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_LGWIN]: bits } });

/** A stream that goes on; its text is the answer. */
async function open(test: TestService, encoding: string | null = null): Promise<net.Socket> {
  const { hostname, port } = new URL(test.url);
  const socket = net.connect({ host: hostname, port: Number(port) });
  await once(socket, 'connect');
  const coded = encoding === null ? '' : `content-encoding: ${encoding}\r\n`;
  const type = `content-type: application/x-ndjson\r\n${coded}connection: close\r\ntransfer-encoding: chunked`;
  socket.write(`POST /track HTTP/1.1\r\nhost: x\r\nx-api-key: ${test.keys.project.publicKey}\r\n${type}\r\n\r\n`);
  return socket;
}
function send(socket: net.Socket, part: string | Uint8Array): void {
  socket.write(`${part.length.toString(16)}\r\n`);
  socket.write(part);
  socket.write('\r\n');
}
/** The answer; closes our side then, as the service waits for what else is sent. */
async function answerTo(socket: net.Socket): Promise<string> {
  socket.once('readable', () => socket.end());
  return text(socket);
}
async function taken(test: TestService, count: number): Promise<void> {
  while (JSON.stringify(await test.rows('* | count')) !== `[{"count":${count}}]`) await sleep(20);
}

describe('a stream on which nothing moves', () => {
  let test: TestService;
  before(async () => (test = await startTestService({ WINDLASS_BODY_TIMEOUT: '1s' })));
  beforeEach(async () => (test = await test.another()));
  after(() => test.stop());

  it('ends with what was accepted and the line', async () => {
    const socket = await open(test);
    send(socket, LINE);
    await taken(test, 1);
    send(socket, LINE.slice(0, 5));
    const answer = await answerTo(socket);
    expect(answer).to.match(/^HTTP\/1.1 400 /);
    expect(answer).to.include('Nothing of the stream came for 1 s.').and.to.include('"accepted":1,"line":1');
  });

  it('ends before, when it is compressed and no byte of it has inflated', async () => {
    for (const [encoding, first] of [
      ['br', brotli(LINE, 22).subarray(0, 1)],
      ['gzip', gzipSync(LINE).subarray(0, 10)],
    ] as const) {
      const socket = await open(test, encoding);
      send(socket, first);
      const answer = await answerTo(socket);
      expect(answer).to.include('No byte of the stream has inflated within 1 s.');
      expect(answer).to.include('"accepted":0,"line":0');
    }
  });

  it('does not end while the service holds it back or has all of it', async () => {
    const ended: string[] = [];
    const stops = [
      { held: true, complete: false, name: 'held' },
      { held: false, complete: true, name: 'complete' },
      { held: false, complete: false, name: 'quiet' },
    ].map(({ held, complete, name }) => {
      const request = new IncomingMessage(new net.Socket());
      request.complete = complete;
      const watched = { isHeldBack: () => held, isUninflated: () => false, bodyTimeout: 500 };
      return watchStream(request, watched, () => ended.push(name));
    });
    while (ended.length === 0) await sleep(50);
    await sleep(600);
    for (const stop of stops) stop();
    expect(ended).to.deep.equal(['quiet']);
  });
});

describe('the window of a compressed stream', () => {
  it('counts as a body before it is taken: the next stream waits until there is room, and goes on then', async () => {
    const test = await startTestService({ WINDLASS_MEMORY: '64MiB' }); // 4 MiB of bodies
    const counted = async (): Promise<number> => {
      const { host, port } = test.service.metricsAddress!;
      const metrics = await (await fetch(`http://${host}:${port}/metrics`)).text();
      return Number(/^windlass_http_received_bytes (\d+)/m.exec(metrics)?.[1]);
    };
    try {
      const first = await open(test, 'br');
      send(first, brotli(Buffer.alloc(20 << 20), 24).subarray(0, 26));
      while ((await counted()) === 0) await sleep(20);
      expect(await counted()).to.be.at.least(1 << 24);
      const second = await open(test, 'br');
      const answers: string[] = [];
      const answered = answerTo(second).then((whole) => answers.push(whole));
      send(second, brotli(LINE, 22));
      second.write('0\r\n\r\n');
      await sleep(300);
      expect(answers).to.deep.equal([]);
      // What the first has inflated by now is counted too; the window of the second, of 4 MiB, is not.
      expect(await counted()).to.be.within((1 << 24) + (1 << 20), (1 << 24) + (4 << 20));
      first.destroy();
      await answered;
      expect(answers[0]).to.include('{"accepted":1,');
    } finally {
      await test.stop();
    }
  });

  it('is known from the first byte, of all windows that an encoder may use', () => {
    for (let bits = constants.BROTLI_MIN_WINDOW_BITS; bits <= constants.BROTLI_MAX_WINDOW_BITS; bits++)
      expect(inflaterBytes('br', brotli(LINE.repeat(100), bits)) - (1 << 20), `${bits}`).to.equal(2 ** bits);
  });
});

describe('a stream that a stop of the service cuts', () => {
  it('ends with what was accepted and the line, so that its client can go on', async () => {
    const test = await startTestService({ WINDLASS_SHUTDOWN_TIMEOUT: '100ms' });
    const socket = await open(test);
    send(socket, LINE.repeat(3));
    await taken(test, 3);
    send(socket, LINE.slice(0, 5));
    const [answer] = await Promise.all([answerTo(socket), test.stop()]);
    expect(answer).to.match(/^HTTP\/1.1 503 /);
    expect(answer).to.include('"code":"shutting_down"').and.to.include('"accepted":3,"line":3');
  });
});
