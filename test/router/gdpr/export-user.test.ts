import { expect } from 'chai';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { ControlDatabase } from '../../../lib/control/database.ts';
import { fetch } from '../../support/checked-fetch.ts';
import { startTestService, type TestService } from '../../support/service.ts';

const MINUTE = 60_000;
/** Events of an export of about 70 MB: few long ones, since bytes are what counts here. */
const MANY = 9_000;
/** Makes events long. Few different texts: these tests are not about dictionaries. */
const LONG = Array.from({ length: 9 }, (_, n) => `page ${n} `.repeat(880));
const BY = { name: 'test', ip: null };
const START = Date.now() - 30 * 86_400_000;

describe('GET /api/gdpr/users/{userID}/export', () => {
  let test: TestService;
  before(async () => (test = await startTestService({ WINDLASS_EVENTS_PER_MINUTE: '0', WINDLASS_SEAL_ROWS: '2250' })));
  after(() => test.stop());

  const get = (userId: string): Promise<Response> =>
    fetch(`${test.url}/api/gdpr/users/${encodeURIComponent(userId)}/export`, {
      headers: { 'X-API-Key': test.keys.secretKey },
    });

  const linesOf = async (response: Response): Promise<Record<string, unknown>[]> =>
    (await response.text())
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Record<string, unknown>);

  /** Sends events of a user, in another order than that of their times. */
  async function track(userId: string, events: number): Promise<void> {
    const lines = Array.from({ length: events }, (_, n) => {
      const time = new Date(START + ((n * 7919) % events) * 100).toISOString();
      const event_properties = { n, text: `number ${n}`, page: LONG[n % LONG.length] };
      return `${JSON.stringify({ event_type: 'e', user_id: userId, time, event_properties })}\n`;
    });
    const answer = await test.post('/track', lines.join(''), { 'Content-Type': 'application/x-ndjson' });
    expect(await answer.json()).to.include({ accepted: events });
  }

  /** A reader that takes nothing until told to. */
  async function slowly(userId: string, key = test.keys.secretKey): Promise<IncomingMessage> {
    const asked = httpRequest(`${test.url}/api/gdpr/users/${userId}/export`, { headers: { 'X-API-Key': key } });
    asked.end();
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    return response.pause();
  }

  /** Reads all that comes. */
  const restOf = (reader: IncomingMessage): Promise<{ ended: 'whole' | 'cut'; bytes: number }> =>
    new Promise((resolve) => {
      let bytes = 0;
      reader.on('data', (piece: Buffer) => (bytes += piece.length));
      reader.on('end', () => resolve({ ended: reader.complete ? 'whole' : 'cut', bytes }));
      reader.on('error', () => resolve({ ended: 'cut', bytes }));
      reader.resume();
    });

  it('answers HEAD as /openapi.json says: 405 with what the path takes', async () => {
    const headers = { 'X-API-Key': test.keys.secretKey };
    const answer = await fetch(`${test.url}/api/gdpr/users/nobody/export`, { method: 'HEAD', headers });
    expect([answer.status, answer.headers.get('allow')]).to.deep.equal([405, 'GET']);
  });

  it('tells the profile, the devices, then the events by time, and writes it down', async () => {
    await test.post('/identify', { user_id: 'ann/1', device_id: 'd 1', user_properties: { plan: 'pro' } });
    const at = (n: number): string => new Date(START + n).toISOString();
    const events = [
      { event_type: 'b', user_id: 'ann/1', time: at(2), event_properties: { deep: { x: [1, null] }, n: 1.5 } },
      { event_type: 'a', device_id: 'd 1', time: at(1), session_id: 's', insert_id: 'mine' },
      { event_type: 'c', device_id: 'd 1', user_id: 'bob', time: at(3) },
    ];
    await test.post('/track', { events });
    const response = await get('ann/1');
    expect(response.headers.get('content-type')).to.equal('application/x-ndjson');
    const lines = await linesOf(response);
    expect(lines.map(({ type }) => type)).to.deep.equal(['profile', 'device', 'event', 'event']);
    expect(lines[0]).to.deep.include({ user_id: 'ann/1', first_seen: at(2), properties: { plan: 'pro' } });
    expect(lines[1]).to.deep.equal({ type: 'device', device_id: 'd 1', user_id: 'ann/1' });
    expect(lines[2]).to.deep.include({
      event_type: 'a',
      time: at(1),
      user_id: null,
      session_id: 's',
      insert_id: 'mine',
    });
    expect(lines[3]).to.deep.include({ event_type: 'b', event_properties: { deep: { x: [1, null] }, n: 1.5 } });
    const control = await ControlDatabase.open(test.folder, { secret: null });
    const { entries } = await control.audit.page(test.keys.organization.id, { limit: 1 });
    await control.close();
    expect(entries[0]).to.include({ action: 'user.export', actor: `secret:${test.keys.project.id}` });
    expect(entries[0]?.target).not.to.contain('ann');
  });

  it('is empty for a user that nobody knows', async () => {
    const response = await get('nobody');
    expect([response.status, response.headers.get('content-type'), await response.text()]).to.deep.equal([
      200,
      'application/x-ndjson',
      '',
    ]);
  });

  it('streams 9,000 long events in the memory of a few', async () => {
    await track('big', MANY);
    await get('nobody'); // loads the thread's code and seals the shard
    global.gc?.();
    const before = process.memoryUsage().rss;
    let most = before;
    let bytes = 0;
    let events = 0;
    let last = '';
    let rest = '';
    const response = await get('big');
    for await (const piece of response.body!.pipeThrough(new TextDecoderStream())) {
      most = Math.max(most, process.memoryUsage().rss);
      bytes += piece.length;
      const lines = (rest + piece).split('\n');
      rest = lines.pop()!;
      for (const line of lines) {
        const { type, time } = JSON.parse(line) as { type: string; time: string };
        if (type !== 'event') continue;
        if (time < last) expect.fail(`${time} comes after ${last}`);
        last = time;
        events++;
      }
    }
    expect([events, rest]).to.deep.equal([MANY, '']);
    const growth = Math.round((most - before) / 2 ** 20);
    expect(growth, `RSS grew by ${growth} MiB for an export of ${bytes} bytes`).to.be.below(bytes / 2 ** 20);
  });

  it('waits for a slow reader, and lets go of everything when the client leaves', async () => {
    const first = await slowly('big');
    const second = await slowly('big');
    const third = await get('big');
    expect(third.status, 'a project has two exports at once').to.equal(429);
    first.destroy();
    second.destroy();
    for (let status = 0; status !== 200;) {
      await sleep(50);
      const again = await get('big');
      status = again.status;
      await again.body?.cancel();
    }
  });

  it('goes on behind the last event that it sent, when another user is erased meanwhile', async () => {
    await track('other', 10);
    const reader = await slowly('big');
    const erased = await fetch(`${test.url}/api/gdpr/users/other`, {
      method: 'DELETE',
      headers: { 'X-API-Key': test.keys.secretKey },
    });
    expect(await erased.json()).to.deep.equal({ deleted: { events: 10, profiles: 1, devices: 0 } });
    const seen = new Uint8Array(MANY);
    let rest = '';
    for await (const piece of reader.setEncoding('utf8')) {
      const lines = (rest + String(piece)).split('\n');
      rest = lines.pop()!;
      for (const line of lines) {
        const { type, event_properties } = JSON.parse(line) as { type: string; event_properties: { n: number } };
        if (type === 'event') seen[event_properties.n]!++;
      }
    }
    expect([seen.every((times) => times === 1), rest]).to.deep.equal([true, '']);
  });

  it('is cut when its token is revoked meanwhile', async () => {
    const control = await ControlDatabase.open(test.folder, { secret: null });
    const projectId = test.keys.project.id;
    const { token, key } = await control.tokens.create({ projectId, name: 'robot', scopes: ['admin'] }, BY);
    const reader = await slowly('big', key);
    await control.tokens.revoke(projectId, token.id, BY);
    await control.close();
    await sleep(1_500);
    expect((await restOf(reader)).ended).to.equal('cut');
  });

  it('is cut, so that one sees it, when its own user is erased, which does not wait for a reader that sleeps', async () => {
    await sleep(500);
    const reader = await slowly('big');
    const begun = Date.now();
    const erased = await fetch(`${test.url}/api/gdpr/users/big`, {
      method: 'DELETE',
      headers: { 'X-API-Key': test.keys.secretKey },
    });
    expect(await erased.json()).to.deep.equal({ deleted: { events: MANY, profiles: 1, devices: 0 } });
    expect(Date.now() - begun).to.be.below(MINUTE);
    const { ended, bytes } = await restOf(reader);
    expect(ended).to.equal('cut');
    expect(bytes).to.be.below(MANY * 100);
  });

  it('is whole, though erasures of others interrupt it while it starts, over and over', async () => {
    const headers = { 'X-API-Key': test.keys.secretKey };
    await test.post('/track', { event_type: 'e', user_id: 'small' });
    for (let n = 0; n < 8; n++) {
      const exported = get('small').then(async (response) => [response.status, (await linesOf(response)).length]);
      await sleep(n * 7);
      const erased = await fetch(`${test.url}/api/gdpr/users/nobody`, { method: 'DELETE', headers });
      expect(erased.status).to.equal(200);
      expect(await exported).to.deep.equal([200, 2]);
    }
  });
});
