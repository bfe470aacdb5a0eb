import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect } from 'chai';
import { TransportError } from '../../lib/cli/client/client-error.ts';
import { transportError } from '../../lib/cli/client/http.ts';
import { wlInside } from './run-inside.ts';

describe('a connection that cannot be had', () => {
  it('is told with the host and a way out, not as a bug', async () => {
    const server = createServer((socket) => socket.on('error', () => undefined).end('SSH-2.0-x\r\n')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const cases: [string, string][] = [
      [`http://127.0.0.1:${port}`, 'did not answer with HTTP'],
      [`https://127.0.0.1:${port}`, 'did not answer with HTTP'],
      ['http://no-such-host.invalid', 'Could not resolve the host no-such-host.invalid'],
      ['http://127.0.0.1:1', 'connection refused'],
    ];
    for (const [host, message] of cases) {
      const { code, stdout, stderr } = await wlInside(['query', 'a', '--host', host, '--api-key', 'sk_0123456789abcdef']);
      expect([code, stdout], host).to.deep.equal([1, '']);
      expect(stderr, host).to.include(message).and.include('WINDLASS_HOST').and.not.include('bug').and.not.include('01234');
    }
    server.close();
  }); // prettier-ignore

  it('names what to trust when a certificate is not', () => {
    const error = Object.assign(new Error('self-signed certificate'), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
    const told = transportError(error, new URL('https://a.example/x'));
    expect(told).to.be.instanceOf(TransportError);
    expect(told.message).to.include('https://a.example').and.include('self-signed certificate');
    expect((told as TransportError).hints.join()).to.include('NODE_EXTRA_CA_CERTS');
  });

  it('stays a bug when no connection can be the cause', () => {
    const error = new TypeError('x is not a function');
    expect(transportError(error, new URL('http://a'))).to.equal(error);
  });
});
