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
      sendPieces(response, 'text/plain', ['before ', LARGE, ' after']);
      look();
    });
    expect(body.equals(Buffer.concat([Buffer.from('before '), LARGE, Buffer.from(' after')]))).to.equal(true);
    expect(most).to.be.at.most(600_000);
  });

  it('is sent at once where it is small', async () => {
    const body = await bodyOf((_, response) => {
      sendPieces(response, 'text/plain', ['a', Buffer.from('é'), 'b']);
      expect(response.writableEnded).to.equal(true);
    });
    expect(body.toString()).to.equal('aéb');
  });
});
