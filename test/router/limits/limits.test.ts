import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { readConfig } from '../../../lib/base/config/config.ts';
import { ControlDatabase } from '../../../lib/control/database.ts';
import { wlJson } from '../../cli/run-inside.ts';
import { holdRequests } from '../../support/hold.ts';
import type { TestService } from '../../support/service.ts';
import { jsonOf, startHeldService, startTestService, startWithoutShards } from '../../support/service.ts';

const EVENT = { event_type: 'a' };

function expectRateLimited(response: Response): void {
  expect(response.status).to.equal(429);
  expect(response.headers.get('retry-after')).to.equal('60');
  expect(response.headers.get('ratelimit-remaining')).to.equal('0');
  expect(response.headers.get('ratelimit-reset'), 'as Retry-After').to.equal('60');
  expect(response.headers.get('ratelimit')).to.match(/^"[a-z ]+";r=0;t=60$/);
}

const BY = { name: 'test', ip: null };

describe('limits of a project', () => {
  let test: TestService;
  afterEach(() => test.stop());

  it('are so many events a minute, counted when they are known', async () => {
    test = await startWithoutShards({ WINDLASS_EVENTS_PER_MINUTE: '3' });
    expect((await test.post('/track', { events: [EVENT, EVENT] })).status).to.equal(200);
    expect((await test.post('/track', { events: [EVENT, EVENT] })).status).to.equal(200);
    expectRateLimited(await test.post('/track', EVENT));
    expectRateLimited(await test.post('/identify', { user_id: 'u' }));
  });

  it('are so many queries a minute', async () => {
    test = await startWithoutShards({ WINDLASS_QUERIES_PER_MINUTE: '2' });
    expect((await test.post('/query', { q: '*' })).headers.get('ratelimit-remaining')).to.equal('1');
    expect((await test.post('/query', { q: '*' })).status).to.equal(200);
    const refused = await test.post('/query', { q: '*' });
    expectRateLimited(refused);
    expect(await jsonOf(refused)).to.include({ code: 'rate_limited' });
    expect((await test.post('/track', EVENT)).status).to.equal(200);
  });

  it('are told with every 429, in both spellings of the headers', async () => {
    test = await startWithoutShards({ WINDLASS_QUERIES_PER_MINUTE: '1' });
    await test.post('/query', { q: '*' });
    const refused = await test.post('/query', { q: '*' });
    expectRateLimited(refused);
    const { headers } = refused;
    expect(headers.get('ratelimit')).to.equal('"queries";r=0;t=60');
    expect(headers.get('ratelimit-policy')).to.equal('"queries";q=1;w=60');
    expect(headers.get('ratelimit-limit')).to.equal('1');
  });

  it('hold one project, and no other of its organization', async () => {
    test = await startWithoutShards({ WINDLASS_QUERIES_PER_MINUTE: '1' });
    const { adminKey } = test.keys;
    const made = await test.post('/api/admin/projects', { name: 'Second' }, { 'X-API-Key': adminKey });
    const second = String((await jsonOf(made))['secret_key']);
    await test.post('/query', { q: '*' });
    expect((await test.post('/query', { q: '*' })).status).to.equal(429);
    expect((await test.post('/query', { q: '*' }, { 'X-API-Key': second })).status).to.equal(200);
  });

  it('let queries beyond 8 at once wait for 5 seconds, unless told otherwise', async () => {
    const held = await startHeldService();
    test = held;
    const { reached, release } = holdRequests(held.store);
    const running = Array.from({ length: 8 }, () => test.post('/query', { q: '*' }));
    await reached(8);
    const begun = performance.now();
    expectRateLimited(await test.post('/query', { q: '*' }));
    expect(performance.now() - begun).to.be.above(4_900);
    expect(readConfig({}).queryWait).to.equal(5_000);
    release();
    for (const query of running) expect((await query).status).to.equal(200);
  });

  it('are none when set to 0', async () => {
    test = await startWithoutShards({ WINDLASS_QUERIES_PER_MINUTE: '0', WINDLASS_EVENTS_PER_MINUTE: '0' });
    const statuses = await Promise.all(
      Array.from({ length: 20 }, async () => (await test.post('/query', { q: '*' })).status),
    );
    expect(new Set(statuses)).to.deep.equal(new Set([200]));
  });

  it('are so many queries at once; more wait, and are refused when that takes too long', async () => {
    const held = await startHeldService({ WINDLASS_QUERY_CONCURRENCY: '2', WINDLASS_QUERY_WAIT: '100ms' });
    test = held;
    const { reached, release } = holdRequests(held.store);
    const running = [test.post('/query', { q: '*' }), test.post('/query', { q: '*' })];
    await reached(2);
    expectRateLimited(await test.post('/query', { q: '*' }));
    const waiting = test.post('/query', { q: '*' });
    release();
    for (const query of [...running, waiting]) expect((await query).status).to.equal(200);
  });

  it("are the organization's events of a month: 403, and at once when they are set", async () => {
    test = await startWithoutShards();
    const control = await ControlDatabase.open(test.folder, { secret: null });
    expect((await test.post('/track', EVENT)).status).to.equal(200);
    await control.organizations.setLimits(test.keys.organization.id, { eventsPerMonth: 1 }, BY);
    let refused = await test.post('/track', EVENT);
    for (; refused.ok; refused = await test.post('/track', EVENT)) await sleep(20); // usage is known within two seconds
    const answer = await jsonOf(refused);
    expect([refused.status, answer['code']]).to.deep.equal([403, 'limit_reached']);
    const now = new Date();
    const next = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1)).toISOString();
    expect(answer['resets_at'], 'unless a month began just now').to.equal(next);
    expect(answer['hints']).to.have.nested.property('[0]').which.includes(next.slice(0, 10));
    const lines = { 'Content-Type': 'application/x-ndjson' };
    for (const [path, body] of [
      ['/track', '{"event_type":"a"}'],
      ['/identify', '{"user_id":"u"}'],
    ] as const) {
      expect((await test.post(path, body, lines)).status, path).to.equal(403);
    }
    expect((await test.post('/query', { q: '*' })).status, 'what is stored can be asked').to.equal(200);
    await control.organizations.setLimits(test.keys.organization.id, { eventsPerMonth: null }, BY);
    expect((await test.post('/track', EVENT)).status).to.equal(200);
    await control.close();
  });

  it('count events of a month as they are accepted, before usage tells of them, and each once', async () => {
    test = await startTestService();
    const control = await ControlDatabase.open(test.folder, { secret: null });
    const limit = (events: number): unknown =>
      control.organizations.setLimits(test.keys.organization.id, { eventsPerMonth: events }, BY);
    const statuses = async (requests: number): Promise<number[]> => {
      const found: number[] = [];
      for (let nth = 0; nth < requests; nth++)
        found.push((await test.post('/track', { events: Array.from({ length: 100 }, () => EVENT) })).status);
      return found;
    };
    await limit(250);
    expect(await statuses(5)).to.deep.equal([200, 200, 200, 403, 403]);
    await limit(350);
    expect(await statuses(2)).to.deep.equal([200, 403]);
    while ((await control.usage.thisMonth('organization', test.keys.organization.id)).stored < 400) await sleep(20);
    await limit(450);
    expect(await statuses(2)).to.deep.equal([200, 403]);
    await control.close();
  });

  it('that wl admin sets hold at once', async () => {
    test = await startWithoutShards();
    const limits = ['admin', 'limits', test.keys.organization.id, '--events-per-month'];
    await wlJson(test.folder, [...limits, '0']);
    expect((await test.post('/track', EVENT)).status).to.equal(403);
    await wlJson(test.folder, [...limits, 'none']);
    expect((await test.post('/track', EVENT)).status).to.equal(200);
  });
});
