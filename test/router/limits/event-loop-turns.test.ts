import { once } from 'node:events';
import { IncomingMessage } from 'node:http';
import net from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { expect } from 'chai';
import { ControlDatabase } from '../../../lib/control/database.ts';
import { EventLoopTurns, MAX_WAITING } from '../../../lib/router/limits/event-loop-turns.ts';
import { Browser } from '../../support/session-browser.ts';
import { startWithoutShards, type TestService } from '../../support/service.ts';
import { makeTenant, send } from '../../support/tenants.ts';

const someRequest = (): IncomingMessage => new IncomingMessage(new net.Socket());

/** Ends when the event loop has gone round several times. */
async function rounds(): Promise<void> {
  for (let n = 0; n < 20; n++) await new Promise(setImmediate);
}

describe('turns of the management API', () => {
  it('run one request of an owner at a time, with the event loop in between, and go to who has had the least', async () => {
    let time = 0;
    const turns = new EventLoopTurns('requests', () => time);
    const order: string[] = [];
    const began: number[] = [];
    let round = 0;
    let ticking = setImmediate(function tick() {
      round++;
      ticking = setImmediate(tick);
    });
    const run = (owner: string, cost: number): Promise<void> =>
      turns.run(someRequest(), owner, () => {
        began.push(round);
        time += cost;
        order.push(owner);
      });
    const all = [run('big', 50), run('big', 50), run('big', 50), run('small', 1), run('small', 1), run('small', 1)];
    await Promise.all(all);
    clearImmediate(ticking);
    expect(new Set(began).size, 'rounds of the event loop').to.equal(all.length);
    expect(order).to.deep.equal(['big', 'small', 'small', 'small', 'big', 'big']);
  });

  it('leave the event loop as much time as they took', async () => {
    let time = 0;
    const turns = new EventLoopTurns('requests', () => time);
    const order: string[] = [];
    const long = turns.run(someRequest(), 'one', () => {
      time += 100;
      setTimeout(() => order.push('something else'), 50);
    });
    await Promise.all([long, turns.run(someRequest(), 'one', () => order.push('next'))]);
    expect(order).to.deep.equal(['something else', 'next']);
  });

  it('do not begin while a request of the same owner runs, and begin for others', async () => {
    const turns = new EventLoopTurns();
    const held = Promise.withResolvers<void>();
    const order: string[] = [];
    const first = turns.run(someRequest(), 'one', () => held.promise);
    const second = turns.run(someRequest(), 'one', () => order.push('one'));
    await turns.run(someRequest(), 'other', () => order.push('other'));
    await rounds();
    expect(order).to.deep.equal(['other']);
    held.resolve();
    await Promise.all([first, second]);
    expect(order).to.deep.equal(['other', 'one']);
  });

  it('are left while a request waits for something slow, and waited for again', async () => {
    const turns = new EventLoopTurns();
    const slow = Promise.withResolvers<void>();
    const order: string[] = [];
    const request = someRequest();
    const leaving = turns.run(request, 'one', async () => {
      turns.leave(request);
      await slow.promise;
      await turns.enter(request);
      await turns.run(request, 'one', () => order.push('inner')); // it has its turn
      order.push('slow');
    });
    await turns.run(someRequest(), 'one', () => order.push('quick'));
    slow.resolve();
    await leaving;
    await turns.run(someRequest(), 'one', () => order.push('last'));
    expect(order).to.deep.equal(['quick', 'inner', 'slow', 'last']);
  });

  it('end with a request that fails', async () => {
    const turns = new EventLoopTurns();
    const failing = turns.run(someRequest(), 'one', () => Promise.reject(new Error('broken')));
    const next = turns.run(someRequest(), 'one', () => 'next');
    expect(await failing.catch((error: unknown) => String(error))).to.equal('Error: broken');
    expect(await next).to.equal('next');
  });
});

describe('requests to the management API', () => {
  let test: TestService;
  before(async () => {
    test = await startWithoutShards();
  });
  after(() => test.stop());

  /** Sends so many in one turn of the event loop, each over a connection that the service has accepted, and reads all answers. */
  async function flood(path: string, headers: string, count: number): Promise<{ statuses: number[]; text: string }> {
    const { hostname, port } = new URL(test.url);
    const sockets = Array.from({ length: count }, () => net.connect({ host: hostname, port: Number(port) }));
    const first = 'GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n';
    await Promise.all(sockets.map((socket) => (socket.write(first), once(socket, 'readable'))));
    for (const socket of sockets) socket.read();
    const request = `GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n${headers}\r\n`;
    for (const socket of sockets) socket.write(request);
    const answers = await Promise.all(sockets.map((socket) => readText(socket)));
    const text = answers.join('\n');
    return { statuses: [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status)), text };
  }
  const count = (statuses: readonly number[], wanted: number): number =>
    statuses.filter((status) => status === wanted).length;

  it('wait for their turn, so many of an organization, and the rest is refused with the time to wait', async () => {
    const { statuses, text } = await flood('/api/admin/projects', `x-api-key: ${test.keys.adminKey}\r\n`, 80);
    expect([count(statuses, 200), count(statuses, 429)]).to.deep.equal([MAX_WAITING, 80 - MAX_WAITING]);
    expect(text)
      .to.contain('"code":"rate_limited"')
      .and.to.match(/retry-after: 60/i);
    const other = await makeTenant(test, 'Other');
    const full = flood('/api/admin/projects', `x-api-key: ${test.keys.adminKey}\r\n`, 80);
    expect((await send(test, ['GET', '/api/admin/projects'], { key: other.adminKey })).status).to.equal(200);
    await full;
  });

  it('wait by organization where keys of projects store and read dashboards, too', async () => {
    const { statuses } = await flood('/dashboards', `x-api-key: ${test.keys.secretKey}\r\n`, 80);
    expect([count(statuses, 200), count(statuses, 429)]).to.deep.equal([MAX_WAITING, 80 - MAX_WAITING]);
  });

  it('wait by account, in the API and in the console', async () => {
    const grant = { orgId: test.keys.organization.id, role: 'owner' } as const;
    const browser = await Browser.loggedIn(test, 'busy@example.com', grant);
    for (const path of ['/api/orgs', '/console']) {
      const { statuses } = await flood(path, `cookie: ${browser.cookies}\r\n`, 80);
      expect([count(statuses, 200), count(statuses, 429)], path).to.deep.equal([MAX_WAITING, 80 - MAX_WAITING]);
    }
  });

  it('do not keep others of the organization waiting while their body is on its way', async () => {
    const { hostname, port } = new URL(test.url);
    const socket = net.connect({ host: hostname, port: Number(port) });
    await once(socket, 'connect');
    const path = `/api/admin/projects/${test.keys.project.id}`;
    const body = '{"retention_days": 7}';
    const head = `PATCH ${path} HTTP/1.1\r\nhost: x\r\nx-api-key: ${test.keys.adminKey}\r\nexpect: 100-continue`;
    socket.write(`${head}\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n`);
    await once(socket, 'data'); // it waits for the body
    expect((await send(test, ['GET', path], { key: test.keys.adminKey })).status).to.equal(200);
    socket.write(body);
    let text = '';
    for await (const chunk of socket) text += String(chunk);
    expect(text)
      .to.match(/^HTTP\/1\.1 200/)
      .and.to.contain('"retention_days":7');
  });

  it('are refused while the organization leaves large answers unread', async () => {
    const small = await startWithoutShards({ WINDLASS_MEMORY: '64MiB' }); // 4 MiB of answers
    const { adminKey, organization } = small.keys;
    const control = await ControlDatabase.open(small.folder, { secret: null });
    await control.together(async () => {
      for (let n = 0; n < 2_000; n++)
        await control.projects.create(organization.id, `Project é ${n}`, { name: 'test', ip: null }, { exempt: true });
    });
    await control.close();
    const { hostname, port } = new URL(small.url);
    const headers = { 'X-API-Key': adminKey };
    const list = (): Promise<Response> => globalThis.fetch(`${small.url}/api/admin/projects`, { headers }); // unchecked: large
    const whole = await list();
    expect(Number(whole.headers.get('content-length'))).to.equal((await whole.arrayBuffer()).byteLength);
    const request = `GET /api/admin/projects HTTP/1.1\r\nhost: x\r\nx-api-key: ${adminKey}\r\n\r\n`;
    const silent: net.Socket[] = [];
    const leaveAnother = async (): Promise<void> => {
      const socket = net.connect({ host: hostname, port: Number(port) }).pause();
      await once(socket, 'connect');
      socket.write(request.repeat(30)); // the system takes some megabytes
      silent.push(socket);
    };
    const until = async (wanted: number, otherwise: () => unknown): Promise<string> => {
      for (;;) {
        const answer = await list();
        const text = await answer.text();
        if (answer.status === wanted) return text;
        await otherwise();
      }
    };
    expect(JSON.parse(await until(429, leaveAnother))).to.deep.include({ code: 'overloaded' });
    const one = await send(small, ['GET', '/api/admin/organization'], { key: adminKey });
    expect(one.status, 'a small answer').to.equal(200);
    for (const socket of silent) socket.destroy();
    await until(200, () => undefined);
    await small.stop();
  });
});
