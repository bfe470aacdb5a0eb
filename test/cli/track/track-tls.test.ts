import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { json as bodyOf } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { wl } from '../run-wl.ts';

/** Made by openssl for localhost and 127.0.0.1, valid for 100 years; nothing but this test trusts it. */
const CERTIFICATE = fileURLToPath(new URL('../../../../test/cli/track/certificate.pem', import.meta.url));
const KEY = fileURLToPath(new URL('../../../../test/cli/track/certificate-key.pem', import.meta.url));
const INPUT = Array.from({ length: 20 }, (_, i) => `{"event_type":"e${i}"}\n`).join('');

describe('wl track --stdin over TLS', () => {
  const sessions = new Set<unknown>();
  const server = createServer({ cert: readFileSync(CERTIFICATE), key: readFileSync(KEY) }, (request, response) => {
    sessions.add(request.socket);
    void bodyOf(request).then((body) => {
      const { events } = body as { events: readonly unknown[] };
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ accepted: events.length, rejected: 0, errors: [] }));
    });
  });
  let port: number;
  before(async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening');
    ({ port } = server.address() as AddressInfo);
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  const track = (host: string, trusted: Record<string, string>) =>
    wl(['track', '--stdin', '--batch-size', '4', '--concurrency', '1'], {
      ...{ WINDLASS_HOST: `https://${host}:${port}`, WINDLASS_API_KEY: 'pk_x', ...trusted },
    }, { input: INPUT }); // prettier-ignore

  it('sends all batches over one connection to a server whose certificate is trusted', async () => {
    for (const host of ['127.0.0.1', 'localhost']) {
      sessions.clear();
      const { code, stdout, stderr } = await track(host, { NODE_EXTRA_CA_CERTS: CERTIFICATE });
      expect([code, JSON.parse(stdout), sessions.size], stderr).to.deep.equal([0, { accepted: 20, rejected: 0 }, 1]);
    }
  });

  it('sends nothing to any other, and does not try again', async () => {
    sessions.clear();
    const { code, stderr } = await track('localhost', {});
    expect([code, sessions.size]).to.deep.equal([1, 0]);
    expect(stderr).to.include('is not trusted').and.include('NODE_EXTRA_CA_CERTS').and.not.include('Trying again');
  });
});
