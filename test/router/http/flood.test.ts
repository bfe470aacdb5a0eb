import { once } from 'node:events';
import net from 'node:net';
import { expect } from 'chai';
import { startWithoutShards, type TestService } from '../../support/service.ts';

/** As many as begin at once on a connection. */
const PIPELINED = 256;

describe('a connection', () => {
  let test: TestService;
  before(async () => (test = await startWithoutShards()));
  after(() => test.stop());

  /** Sends, and reads until the server closes the connection. */
  async function answersTo(text: string): Promise<string> {
    const { hostname, port } = new URL(test.url);
    const socket = net.connect({ host: hostname, port: Number(port) });
    await once(socket, 'connect');
    let got = '';
    socket.on('data', (piece: Buffer) => (got += piece.toString()));
    const over = new Promise<void>((resolve) => socket.once('error', () => resolve()).once('close', () => resolve()));
    socket.write(text);
    await over;
    return got;
  }
  const statuses = (text: string): string[] => [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status!);

  it('is closed after so many requests at once, all of which are answered, and no later one is begun', async () => {
    const request = 'GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n';
    const got = await answersTo(request.repeat(1_000));
    expect(statuses(got)).to.deep.equal(new Array(PIPELINED).fill('200'));
    expect(got.match(/connection: close/gi)).to.have.length(1);
  });

  it('is cut when its body comes in very many pieces of a byte, whatever reads it', async () => {
    for (const path of ['/track', '/healthz', '/nothing']) {
      const head = `POST ${path} HTTP/1.1\r\nhost: x\r\nx-api-key: ${test.keys.secretKey}\r\ntransfer-encoding: chunked\r\n\r\n`;
      const got = await answersTo(head + '1\r\nx\r\n'.repeat(10_000));
      expect(statuses(got), path).to.not.include('200');
    }
  });

  it('may send a body in a thousand pieces, small and large', async () => {
    const event = JSON.stringify({ event_type: 'e', event_properties: { text: 'x'.repeat(7_000) } });
    const body = `{"events":[${new Array(20).fill(event).join()}]}`;
    const pieces: string[] = [];
    for (let at = 0; at < body.length;) {
      const length = pieces.length % 100 === 99 ? 5_000 : 1 + (pieces.length % 90);
      pieces.push(body.slice(at, at + length));
      at += length;
    }
    const chunks = pieces.map((piece) => `${piece.length.toString(16)}\r\n${piece}\r\n`).join('');
    const head = `POST /track?report=true HTTP/1.1\r\nhost: x\r\nconnection: close\r\nx-api-key: ${test.keys.secretKey}\r\n`;
    const got = await answersTo(`${head}transfer-encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`);
    expect(got).to.contain('{"accepted":20,"rejected":0,"errors":[],"warnings":[]}');
  });
});
