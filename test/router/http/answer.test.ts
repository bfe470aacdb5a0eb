import { expect } from 'chai';
import { createServer, get, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sendPieces } from '../../../lib/router/http/answer.ts';

const LARGE = Uint8Array.from({ length: 8 << 20 }, (_, at) => at * 7 + (at >> 8));

/** Has one request answered by `listener`; resolves to the body. */
async function bodyOf(listener: RequestListener): Promise<Buffer> {
  const server = createServer(listener);
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const { port } = server.address() as AddressInfo;
  try {
    return await new Promise((resolve, reject) => {
      get({ port, host: '127.0.0.1', agent: false }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', reject);
        response.on('end', () => resolve(Buffer.concat(chunks)));
      }).on('error', reject);
    });
  } finally {
    server.close();
  }
}

describe('an answer of several pieces', () => {
  it('is sent a quarter of a megabyte a turn of the event loop, so that others get theirs', async () => {
    let most = 0;
    const body = await bodyOf((_, response) => {
      const { socket } = response;
      let before = 0;
      const look = (): void => {
        const written = socket?.bytesWritten ?? 0;
        most = Math.max(most, written - before);
        before = written;
        if (!response.writableFinished) setImmediate(look);
      };
      sendPieces(response, 'text/plain', ['before ', Uint8Array.from(LARGE), ' after']);
      look();
    });
    expect(body.equals(Buffer.concat([Buffer.from('before '), LARGE, Buffer.from(' after')]))).to.equal(true);
    expect(most).to.be.at.most(600_000);
  });

  it('leaves nothing in memory once it is sent, but for bytes that belong to others', async () => {
    const own = Uint8Array.from(LARGE);
    const shared = Uint8Array.from(LARGE);
    const closed = Promise.withResolvers<void>();
    const body = await bodyOf((_, response) => {
      response.once('close', closed.resolve);
      sendPieces(response, 'text/plain', [own, shared.subarray(1)]);
    });
    await closed.promise;
    expect(body.equals(Buffer.concat([LARGE, LARGE.subarray(1)]))).to.equal(true);
    expect([own.length, shared.length]).to.deep.equal([0, LARGE.length]);
  });

  it('is sent at once where it is small', async () => {
    const body = await bodyOf((_, response) => {
      sendPieces(response, 'text/plain', ['a', Buffer.from('é'), 'b']);
      expect(response.writableEnded).to.equal(true);
    });
    expect(body.toString()).to.equal('aéb');
  });
});
