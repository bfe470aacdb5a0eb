import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { expect } from 'chai';
import { ClientConnections, type ConnectionLimits } from '../../../lib/router/http/connections.ts';
import { checkDescriptors, leastDescriptors, planDescriptors } from '../../../lib/base/config/descriptors.ts';
import { ConfigError } from '../../../lib/base/config/setting-source.ts';
import { readConfig } from '../../../lib/base/config/config.ts';
import { ClientAddresses } from '../../../lib/router/http/client-address.ts';

const REQUEST = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';

describe('connections', () => {
  let server: Server;
  let connections: ClientConnections;
  const sockets: Socket[] = [];
  const held: ServerResponse[] = [];

  async function listen(limits: Partial<ConnectionLimits> = {}): Promise<void> {
    server = createServer((request, response) => {
      if (request.url === '/held') held.push(response);
      else response.end('done');
    });
    const byAddress = new ClientAddresses([], 'x-forwarded-for');
    const usual = { total: 4, ofAddress: 3, addressOf: (socket: Socket) => byAddress.networkOf(socket) };
    connections = new ClientConnections({ ...usual, ...limits });
    connections.guard(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  }
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    held.splice(0);
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  });

  /** A connection from a loopback address. */
  async function open(localAddress = '127.0.0.1'): Promise<Socket> {
    const { port } = server.address() as AddressInfo;
    const socket = connect({ port, host: '127.0.0.1', localAddress });
    sockets.push(socket);
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    return socket;
  }
  /** The answer to a request; null: the connection was cut. */
  async function ask(socket: Socket, request = REQUEST): Promise<string | null> {
    const answer = once(socket, 'data').then(([data]) => String(data));
    socket.write(request);
    return Promise.race([answer, once(socket, 'close').then(() => null)]);
  }
  const atWork = async (address?: string): Promise<void> => {
    const before = held.length;
    (await open(address)).write(REQUEST.replace('/', '/held'));
    while (held.length === before) await new Promise((resolve) => setTimeout(resolve, 1));
  };

  it('of one address are bounded, and leave room for another', async () => {
    await listen();
    for (let n = 0; n < 3; n++) await atWork();
    expect(await ask(await open())).to.equal(null);
    expect(await ask(await open('127.0.0.2'))).to.contain('200 OK');
    expect(connections.counts).to.deep.equal({ refused: 1, cut: 0 });
  });

  it('are bounded in total, those of trusted proxies by that alone', async () => {
    await listen({ addressOf: () => null });
    for (let n = 0; n < 4; n++) await atWork();
    expect(await ask(await open())).to.equal(null);
    expect(connections.open).to.equal(4);
    const proxies = readConfig({ WINDLASS_TRUSTED_PROXIES: '127.0.0.1' }).trustedProxies;
    const socket = await open('127.0.0.2').catch(() => null);
    expect(new ClientAddresses(proxies, 'x').networkOf({ remoteAddress: '127.0.0.1' } as Socket)).to.equal(null);
    socket?.destroy();
  });

  it('that are silent make room for the next, then those that are kept alive', async () => {
    await listen({ ofAddress: 4 });
    const kept = await open();
    expect(await ask(kept)).to.contain('200 OK');
    const silent = await open();
    for (let n = 0; n < 2; n++) await atWork();
    const cut = once(silent, 'close');
    expect(await ask(await open())).to.contain('200 OK');
    await cut;
    expect(await ask(kept)).to.contain('200 OK');
    await atWork();
    await atWork();
    expect(held).to.have.length(4);
    expect(await ask(await open())).to.equal(null);
  });

  it('that stay silent are cut', async () => {
    await listen({ silence: 500 });
    const speaking = await open();
    expect(await ask(speaking)).to.contain('200 OK');
    await once(await open(), 'close');
    expect(await ask(speaking)).to.contain('200 OK');
    expect(connections.counts.cut).to.equal(1);
  });
});

describe('file descriptors', () => {
  it('are kept back for files, and shard files are fewer where there are few', () => {
    const threads = { threads: 2, writers: 1, openShards: 100 };
    expect(planDescriptors(1_024, threads)).to.deep.equal({ connections: 420, openShards: 100, readShards: 16 });
    expect(planDescriptors(Infinity, threads)).to.deep.equal({ connections: 10_000, openShards: 100, readShards: 32 });
    const few = planDescriptors(512, { ...threads, threads: 4 });
    expect(few.connections).to.equal(128);
    expect(few.openShards).to.be.below(100);
  });

  it('suffice for all that may be open at once, down to the least with which a service starts', () => {
    for (const threads of [1, 2, 4, 16, 64]) {
      const of = { threads, writers: 1, openShards: 100 };
      const least = leastDescriptors(of);
      expect(() => checkDescriptors(of, least - 1)).to.throw(ConfigError, `at least ${least} `);
      checkDescriptors(of, least);
      for (let limit = least; limit < 3_000; limit++) {
        const { connections, readShards, openShards } = planDescriptors(limit, of);
        expect(Math.min(connections - 15, readShards, openShards - 3), `${limit}`).to.be.at.least(1);
        const files = 3 * ((threads + 1) * readShards + openShards);
        expect(connections + 96 + (threads + 2) * 8 + files, `${limit}`).to.be.at.most(limit);
      }
    }
  });
});
