import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { expect } from 'chai';
import { readConfig } from '../../../lib/base/config/config.ts';
import { ClientAddresses } from '../../../lib/router/http/client-address.ts';

/** The client of a request from `peer` with the header; 10/8 and ::1 are trusted. */
function clientOf(peer: string, forwarded?: string): unknown {
  const { trustedProxies } = readConfig({ WINDLASS_TRUSTED_PROXIES: '10.0.0.0/8, ::1' });
  const socket = new Socket();
  Object.defineProperty(socket, 'remoteAddress', { value: peer });
  const request = new IncomingMessage(socket);
  if (forwarded !== undefined) request.headers['x-forwarded-for'] = forwarded;
  return new ClientAddresses(trustedProxies, 'x-forwarded-for').of(request);
}

describe('the client of a request', () => {
  const cases: [title: string, peer: string, forwarded: string | undefined, ip: string, trusted: boolean][] = [
    ['is the peer', '192.0.2.1', undefined, '192.0.2.1', false],
    ['is the peer, whatever an untrusted one claims', '192.0.2.1', '198.51.100.7', '192.0.2.1', false],
    ['is who a trusted proxy names', '10.1.2.3', '198.51.100.7', '198.51.100.7', true],
    [
      'is the rightmost that is no trusted proxy',
      '10.1.2.3',
      '203.0.113.9, 198.51.100.7, 10.9.9.9',
      '198.51.100.7',
      true,
    ],
    ['is the leftmost of nothing but proxies', '10.1.2.3', '10.0.0.7, 10.0.0.8', '10.0.0.7', true],
    ['is an IPv4 address on an IPv6 socket', '::ffff:192.0.2.1', undefined, '192.0.2.1', false],
    ['is told by a proxy on such a socket', '::ffff:10.0.0.1', '2001:db8::1', '2001:db8::1', true],
    ['is told by a proxy over IPv6', '::1', '198.51.100.7', '198.51.100.7', true],
    ['may be named with its port', '10.0.0.1', '[2001:db8::1]:443, 10.0.0.2:80', '2001:db8::1', true],
    ['is the last that makes sense', '10.0.0.1', 'unknown, 10.0.0.2', '10.0.0.2', true],
    ['is the proxy when it names nobody', '10.0.0.1', undefined, '10.0.0.1', true],
  ];
  for (const [title, peer, forwarded, ip, trusted] of cases) {
    it(title, () => expect(clientOf(peer, forwarded)).to.deep.equal({ ip, trusted }));
  }
});
