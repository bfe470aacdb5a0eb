import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { TestService } from '../../support/service.ts';
import { startTestService } from '../../support/service.ts';

describe('?device=daily', () => {
  let test: TestService;
  before(async () => {
    test = await startTestService({ WINDLASS_TRUSTED_PROXIES: '127.0.0.1' });
  });
  after(() => test.stop());

  async function send(path: string, body: unknown, from: { ip?: string; agent?: string; key?: string } = {}) {
    const { ip = '198.51.100.7', agent = 'Firefox', key = test.keys.project.publicKey } = from;
    const headers = { 'X-API-Key': key, 'X-Forwarded-For': ip, 'User-Agent': agent, 'Content-Type': 'text/plain' };
    const response = await test.post(`${path}?device=daily`, body, headers);
    expect(response.status, await response.clone().text()).to.equal(200);
  }

  it('gives events without a device one by address and browser, in batches too, and leaves others theirs', async () => {
    await send('/track', { event_type: 'a' });
    await send('/track', { events: [{ event_type: 'a' }, { event_type: 'a', device_id: 'own' }] });
    await send('/track', { events: [{ event_type: 'a', origin: 'client', ip: 'x' }] }); // left to JSON.parse by the scanner
    await send('/track', { event_type: 'a' }, { ip: '198.51.100.8' });
    await send('/track', { event_type: 'a' }, { agent: 'Safari' });
    const rows = await test.rows('a | count by device_id');
    expect(rows.map(({ count }) => count)).to.deep.equal([3, 1, 1, 1]);
    expect(rows[0]?.['device_id']).to.match(/^daily_[\w-]{22}$/);
    expect(rows.map((row) => row['device_id'])).to.include('own');
  });

  it('binds that device with an identify, so that what it did before is the user’s', async () => {
    const visitor = { ip: '203.0.113.5' };
    await send('/track', { event_type: 'b' }, visitor);
    await send('/identify', { user_id: 'ann' }, visitor);
    expect(await test.rows('b | count by distinct_id')).to.deep.equal([{ distinct_id: 'ann', count: 1 }]);
  });

  it('is nothing for a server’s key, whose request shows nothing of a device', async () => {
    await send('/track', { event_type: 'c' }, { key: test.keys.secretKey });
    expect((await test.rows('c | list')).map((row) => row['device_id'])).to.deep.equal([null]);
  });

  it('is 400 with anything else than daily', async () => {
    for (const query of ['device=weekly', 'device=', 'device=daily&device=daily']) {
      expect((await test.post(`/track?${query}`, { event_type: 'd' })).status, query).to.equal(400);
    }
  });

  it('keeps the id where the journal is replayed, after the salt is gone', async () => {
    await send('/track', { event_type: 'e' });
    const folder = join(test.folder, 'journal');
    const journal = readdirSync(folder)
      .map((name) => readFileSync(join(folder, name), 'latin1'))
      .join('');
    const salt = /[0-9a-f]{64}/.exec(readFileSync(join(test.folder, 'daily-salt'), 'utf8'))?.[0] ?? '';
    expect(journal).to.match(/"device":"daily_[\w-]{22}"/);
    expect(journal).to.not.contain(salt);
  });
});
