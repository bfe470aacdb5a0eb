import { once } from 'node:events';
import { expect } from 'chai';
import { copyFileSync, mkdirSync, readFileSync, rmdirSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { wlInside } from '../cli/run-inside.ts';
import { fetch } from '../support/checked-fetch.ts';
import { holdRequests } from '../support/hold.ts';
import { keptLog } from '../support/kept-log.ts';
import type { TestService } from '../support/service.ts';
import { jsonOf, startHeldService, startTestService } from '../support/service.ts';

describe('health', () => {
  let test: Awaited<ReturnType<typeof startHeldService>>;
  beforeEach(async () => {
    test = await startHeldService();
  });
  afterEach(() => test.stop());

  it('answers exactly ok and ready, as plain text', async () => {
    for (const [path, word] of [
      ['/healthz', 'ok'],
      ['/readyz', 'ready'],
    ] as const) {
      const response = await fetch(test.url + path);
      expect([response.status, await response.text()]).to.deep.equal([200, word]);
      expect(response.headers.get('content-type')).to.equal('text/plain');
      expect((await fetch(test.url + path, { method: 'HEAD' })).status).to.equal(200);
    }
  });

  it('is not ready, with the reason, while the store is not', async () => {
    test.store.notReady = 'the disk is full';
    const response = await fetch(`${test.url}/readyz`);
    expect(response.status).to.equal(503);
    expect(await jsonOf(response)).to.include({ error: 'the disk is full' });
    expect((await fetch(`${test.url}/healthz`)).status).to.equal(200);
  });
});

describe('a project whose file cannot be opened', () => {
  it('is 503 alone: the service is ready, all others are served, and `wl admin check` names it', async () => {
    const test = await startTestService();
    const [bad, good] = [await test.another(), await test.another()];
    const user = { user_id: 'ann', user_properties: { plan: 'pro' } };
    expect((await good.post('/identify', user)).status).to.equal(200);
    expect(await good.rows('users | count')).to.deep.equal([{ count: 1 }]);
    const [shard, other] = [bad, good].map(({ keys }) => join(test.folder, 'shards', `${keys.project.id}.db`));
    copyFileSync(other!, shard!);
    mkdirSync(`${shard}-wal`); // so that SQLite cannot open its log
    for (const [path, body] of [
      ['/identify', user],
      ['/query', { q: '* | count' }],
    ] as const) {
      const refused = await bad.post(path, body);
      const { code, error } = await jsonOf(refused);
      expect([path, refused.status, code]).to.deep.equal([path, 503, 'storage_unavailable']);
      expect(error).to.contain('the data of this project cannot be used at the moment (SQLITE_CANTOPEN');
      for (let nth = 0; nth < 10; nth++) {
        expect((await fetch(`${test.url}/readyz`)).status).to.equal(200);
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    }
    expect((await good.post('/identify', user)).status).to.equal(200);
    const { code, stderr } = await wlInside(['admin', 'check', '--data', test.folder]);
    expect([code, stderr]).to.satisfy(
      ([ended, told]: [number, string]) => ended === 1 && told.includes(bad.keys.project.id),
    );
    rmdirSync(`${shard}-wal`);
    expect((await bad.post('/identify', user)).status).to.equal(200);
    await test.stop();
  });
});

describe('a shutdown', () => {
  it('turns /readyz to 503, finishes what runs, refuses what comes, and closes the store', async () => {
    const test = await startHeldService();
    const { reached, release } = holdRequests(test.store);
    const running = test.post('/track', { event_type: 'a' });
    await reached(1);
    const stopped = test.stop();
    expect((await fetch(`${test.url}/readyz`)).status).to.equal(503);
    expect((await fetch(`${test.url}/healthz`)).status).to.equal(200);
    const refused = await test.post('/track', { event_type: 'b' });
    expect([refused.status, (await jsonOf(refused))['code']]).to.deep.equal([503, 'shutting_down']);
    release();
    expect((await running).status).to.equal(200);
    await stopped;
    expect(test.store.closed).to.equal(true);
    await fetch(test.url).then(
      () => expect.fail('the port is still open'),
      () => undefined,
    );
  });

  it('waits for no request whose connection was closed before it began', async () => {
    const { log, lines } = keptLog('warn');
    const test = await startHeldService({ WINDLASS_SHUTDOWN_TIMEOUT: '1s' }, { log });
    const { reached, release } = holdRequests(test.store);
    const body = '{"event_type":"a"}';
    const head = `POST /track HTTP/1.1\r\nhost: x\r\nx-api-key: ${test.keys.secretKey}\r\n`;
    const socket = connect(Number(new URL(test.url).port), '127.0.0.1');
    const request = `${head}content-length: ${body.length}\r\n\r\n${body}`;
    socket.write(`${request.repeat(3)}CONNECT a:1 HTTP/1.1\r\nhost: a\r\n\r\n`); // it closes the connection
    await reached(1);
    await once(socket.resume(), 'close');
    release();
    await test.stop();
    expect(lines.join('')).to.not.include('cut off');
  });

  it('cuts what does not finish in time', async () => {
    const test = await startHeldService({ WINDLASS_SHUTDOWN_TIMEOUT: '50ms' });
    const { reached } = holdRequests(test.store);
    const cut = test.post('/track', { event_type: 'a' }).then(
      () => 'answered',
      () => 'cut',
    );
    await reached(1);
    await test.stop();
    expect(await cut).to.equal('cut');
  });
});

describe('maintenance', () => {
  it('answers 503 to all but the health checks', async () => {
    const test = await startTestService({ WINDLASS_MAINTENANCE: 'on' });
    const response = await test.post('/track', { event_type: 'a' });
    expect([response.status, (await jsonOf(response))['code']]).to.deep.equal([503, 'feature_disabled']);
    expect((await fetch(`${test.url}/healthz`)).status).to.equal(200);
    await test.stop();
  });
});

describe('the log', () => {
  for (const [level, named] of [
    ['debug', ['/healthz', '/query']],
    ['info', []],
  ] as const) {
    it(`has ${named.length === 0 ? 'no request' : 'every request by its endpoint'} at level ${level}`, async () => {
      const { log, lines } = keptLog(level);
      const test = await startTestService({}, { log });
      await fetch(`${test.url}/healthz?key=pk_secret`);
      await test.post('/query', { q: 'zebra' });
      await test.stop();
      const requests = lines.filter((line) => line.includes('"answered"'));
      expect(requests.map((line) => (JSON.parse(line) as { endpoint: string }).endpoint)).to.deep.equal(named);
      expect(lines.join('')).to.not.include('pk_secret').and.not.include('zebra');
    });
  }
});

describe('metrics', () => {
  let test: TestService;
  before(async () => {
    test = await startTestService();
  });
  after(() => test.stop());

  async function read(): Promise<string> {
    const port = test.service.metricsAddress?.port;
    return (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  }

  it('are on their own address and not on the public one', async () => {
    expect(await read()).to.contain('windlass_build_info{version="');
    expect((await fetch(`${test.url}/metrics`)).status).to.equal(404);
  });

  it('count requests by endpoint and status, events and queries', async () => {
    await test.post('/track?key=secret', { events: [{ event_type: 'a' }, {}] });
    await test.post('/query', { q: '*' });
    await test.post('/api/users/someone', {});
    const text = await read();
    expect(text).to.contain('windlass_http_requests_total{endpoint="/track",status="200"} 1');
    expect(text).to.contain('windlass_http_requests_total{endpoint="none",status="404"}');
    expect(text).to.contain('windlass_events_accepted_total 1');
    expect(text).to.contain('windlass_events_rejected_total 1');
    expect(text).to.contain('windlass_query_seconds_count 1');
    expect(text).to.not.contain('secret').and.not.contain('someone');
  });

  it('are all in docs/operations.md, and no others', async () => {
    const names = (text: string): string[] => [...new Set(text.match(/\bwindlass_[a-z_]+\b/g) ?? [])];
    const built = names((await read()).replaceAll(/_(?:bucket|sum|count)\b/g, ''));
    expect(names(readFileSync('docs/operations.md', 'utf8'))).to.have.members(built);
  });
});
