import { once } from 'node:events';
import { connect } from 'node:net';
import { expect } from 'chai';
import { monotonic } from '../../../lib/base/monotonic.ts';
import { Deadline } from '../../../lib/router/http/deadline.ts';
import { createHttpServer, listen } from '../../../lib/router/server.ts';

describe('the deadline of a query', () => {
  it('is there as soon as its client closes its side, as one that is killed does', async () => {
    const reasons: unknown[] = [];
    const server = createHttpServer(
      (_request, response) => {
        const deadline = new Deadline(monotonic(), 60_000, response);
        deadline.signal.addEventListener('abort', () => {
          reasons.push(deadline.signal.reason);
          deadline.end();
          response.end();
        });
      },
      { url: null },
    );
    const { port } = await listen(server, { host: '127.0.0.1', port: 0 }, 'test');
    const socket = connect(port, '127.0.0.1').resume();
    socket.end('GET / HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(socket, 'close');
    server.close();
    expect(reasons.map(String)).to.deep.equal(Array(2).fill('AppError: The client disconnected.'));
  });
});
