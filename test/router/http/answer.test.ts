import { expect } from 'chai';
import { createServer, get, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { boundAnswer, sendPieces, sendWritten } from '../../../lib/router/http/answer.ts';

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

describe('an answer that is long to write', () => {
  it('is written piece by piece, with a turn of the event loop after each, and has its length', async () => {
    const rounds: number[] = [];
    let round = 0;
    let ticking = setImmediate(function tick() {
      round++;
      ticking = setImmediate(tick);
    });
    function* pieces(): Generator<string> {
      for (let n = 0; n < 5; n++) {
        rounds.push(round);
        yield `${n} é ${'x'.repeat(10_000)}\n`;
      }
    }
    const held: number[] = [];
    const written = [...pieces()].join('');
    rounds.length = 0;
    const body = await bodyOf((_, response) => {
      boundAnswer(response, (bytes) => void held.push(bytes));
      void sendWritten(response, 'text/plain', pieces());
    });
    clearImmediate(ticking);
    expect(body.toString()).to.equal(written);
    expect(held).to.deep.equal([Buffer.byteLength(written)]);
    expect(new Set(rounds).size).to.equal(5);
  });

  it('sends nothing where it fails on the way or finds no room, so that the error has its status', async () => {
    function* failing(): Generator<string> {
      yield 'x'.repeat(100_000);
      throw new Error('broken');
    }
    const errors: unknown[] = [];
    const answer = (text: Iterable<string>, hold: () => void): Promise<Buffer> =>
      bodyOf((_, response) => {
        boundAnswer(response, hold);
        void sendWritten(response, 'text/plain', text).catch((error: unknown) => {
          errors.push(String(error));
          response.writeHead(500).end('failed');
        });
      });
    const full = (): void => {
      throw new Error('full');
    };
    expect(String(await answer(failing(), () => undefined))).to.equal('failed');
    expect(String(await answer(['x'.repeat(100_000)], full))).to.equal('failed');
    expect(errors).to.deep.equal(['Error: broken', 'Error: full']);
  });

  it('is not written on once its client has left', async () => {
    let made = 0;
    function* endless(): Generator<string> {
      for (;;) {
        made++;
        yield 'x';
      }
    }
    const done = Promise.withResolvers<void>();
    const body = bodyOf((_, response) => {
      void sendWritten(response, 'text/plain', endless()).then(done.resolve);
      setImmediate(() => response.destroy());
    }).catch(String);
    await done.promise;
    expect(await body).to.match(/socket hang up/);
    expect(made).to.be.at.most(10);
  });
});
