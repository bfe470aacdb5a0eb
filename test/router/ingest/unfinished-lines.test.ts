import { once } from 'node:events';
import net from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { startTestService, type TestService } from '../../support/service.ts';

const LINE = '{"event_type":"a","user_id":"u"}\n';
const STREAMS = 5;
/** Of the 4 MiB for bodies, streams of one project may hold a fifth. */
const HALF_LINE = `{"event_type":"a","user_id":"u","event_properties":{"x":"${'x'.repeat(600_000)}`;

describe('unfinished lines', () => {
  let test: TestService;
  before(async () => {
    test = await startTestService({ WINDLASS_MEMORY: '64MiB', WINDLASS_BODY_TIMEOUT: '1s' });
  });
  after(() => test.stop());

  async function open(): Promise<net.Socket> {
    const { hostname, port } = new URL(test.url);
    const socket = net.connect({ host: hostname, port: Number(port) });
    await once(socket, 'connect');
    const type = `content-type: application/x-ndjson\r\nconnection: close\r\ntransfer-encoding: chunked`;
    socket.write(`POST /track HTTP/1.1\r\nhost: x\r\nx-api-key: ${test.keys.secretKey}\r\n${type}\r\n\r\n`);
    return socket;
  }
  const send = (socket: net.Socket, part: string): boolean =>
    socket.write(`${part.length.toString(16)}\r\n${part}\r\n`);

  it('of many streams are bounded: some wait, and end with 429 and where to go on; the others are finished', async () => {
    const sockets: net.Socket[] = [];
    for (let n = 0; n < STREAMS; n++) sockets.push(await open());
    const ended: string[] = [];
    for (const socket of sockets) socket.once('readable', () => socket.end()); // otherwise the server lingers
    const answers = sockets.map(async (socket) => ended.push(await text(socket)));
    for (const socket of sockets) send(socket, LINE);
    while (JSON.stringify(await test.rows('* | count')) !== `[{"count":${STREAMS}}]`) await pause(20);
    for (const socket of sockets) send(socket, HALF_LINE);
    while (ended.length === 0) {
      for (const socket of sockets) if (socket.writable) send(socket, ' '); // on which nothing comes end, too
      await pause(50);
    }
    expect(ended[0]).to.match(/^HTTP\/1.1 429 /);
    expect(ended[0]).to.include('"code":"overloaded"').and.include('"accepted":1,"line":1');
    for (const socket of sockets) if (socket.writable) socket.write('6\r\n"}}\n\n\n\r\n0\r\n\r\n');
    await Promise.all(answers);
    const taken = ended.filter((answer) => answer.startsWith('HTTP/1.1 200 '));
    expect(taken.length).to.be.at.least(1);
    for (const answer of taken) expect(answer).to.include('"accepted":2,');
    expect(await test.rows('* | count')).to.deep.equal([{ count: STREAMS + taken.length }]);
  });
});
