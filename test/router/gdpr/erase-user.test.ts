import { expect } from 'chai';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../../lib/base/errors.ts';
import { ControlDatabase } from '../../../lib/control/database.ts';
import { fetch } from '../../support/checked-fetch.ts';
import { holdRequests } from '../../support/hold.ts';
import { seenByAlert } from '../../support/seen-by-alert.ts';
import { jsonOf, startHeldService, startTestService, type TestService } from '../../support/service.ts';
import { placesOf } from '../../support/stored-texts.ts';

/** Part of every value that only the erased user has. */
const MARK = 'zebra';
const USER = `${MARK}@example.org/ü`;
const OTHERS = 80;

const day = (n: number): string => new Date(Date.now() - n * 3_600_000).toISOString();

/** Segments of many sizes, so that some are compacted while the test runs. */
const SETTINGS = { WINDLASS_SEAL_ROWS: '500', WINDLASS_SEGMENT_ROWS: '1024' };

describe('DELETE /api/gdpr/users/{userID}', () => {
  let test: TestService;
  before(async () => (test = await startTestService(SETTINGS)));
  beforeEach(async () => (test = await test.another()));
  after(() => test.stop());

  const erase = (
    userId: string,
    headers: Record<string, string> = { 'X-API-Key': test.keys.secretKey },
  ): Promise<Response> =>
    fetch(`${test.url}/api/gdpr/users/${encodeURIComponent(userId)}`, { method: 'DELETE', headers });

  const send = async (path: string, body: unknown): Promise<void> => {
    const response = await test.post(path, body);
    expect(response.status, await response.text()).to.equal(200);
  };

  /** An event of the user with unique values in every place that holds texts. */
  const ownEvent = (n: number): Record<string, unknown> => ({
    event_type: n % 50 === 0 ? `${MARK} type` : 'view',
    time: day(n),
    session_id: `${MARK}-s${n}`,
    insert_id: `${MARK}-i${n}`,
    event_properties: {
      own: `${MARK} ${n}`,
      request: `${MARK} request ${n}`,
      nested: { deep: [MARK] },
      url: `https://${MARK}.example/${MARK}?utm_source=${MARK}`,
      [`${MARK}_key`]: true,
    },
    user_properties: { nick: `${MARK}nick` },
    ...(n % 3 === 0 ? { device_id: `${MARK}-d` } : { user_id: USER }),
  });

  const otherEvent = (n: number): Record<string, unknown> => ({
    event_type: 'view',
    time: day(n % 700),
    user_id: `user ${n % OTHERS}`,
    session_id: `s${n}`,
    insert_id: `i${n}`,
    event_properties: { own: `other ${n % 7}`, request: `request ${n}`, n },
  });

  /** Everything a person can leave: sealed, compacted and unsealed events, profiles changed often, bindings that moved. */
  async function fill(): Promise<void> {
    for (let at = 0; at < 4000; at += 500) {
      const events = Array.from({ length: 500 }, (_, i) => (i % 20 === 0 ? ownEvent(at + i) : otherEvent(at + i)));
      await send('/track', { events });
      for (let i = 0; i < 40; i++) {
        const user_id = `user ${(at + i * 7) % OTHERS}`;
        await send('/identify', { user_id, user_properties: { bio: `about ${user_id} `.repeat(1 + ((at + i) % 90)) } });
      }
      await send('/identify', {
        user_id: USER,
        user_properties: { bio: `${MARK} `.repeat(1 + at / 10), email: `a@${MARK}.example` },
      });
      await test.rows('* | count');
    }
    for (const user_id of ['user 1', USER, 'user 2', USER])
      await send('/identify', { user_id, device_id: `${MARK}-d` });
    for (const user_id of ['user 1', USER, 'user 2']) await send('/identify', { user_id, device_id: 'moved' });
    await sleep(300);
    await send('/track', { events: [ownEvent(1), ownEvent(4_001), otherEvent(4_001)] });
  }

  const QUESTIONS = [
    '* | last 60 d | count, unique user_id by event_type',
    '* | last 60 d | where user_id exists | count by user_id | top 100',
    'users | last 60 d | where user.bio exists | count by user_id | top 100',
    '* | last 60 d | count by event_properties.own',
  ];
  const answers = async (): Promise<string[]> => {
    const rows = await Promise.all(QUESTIONS.map((q) => test.rows(q)));
    return rows.map((table) => JSON.stringify(table.filter((row) => !JSON.stringify(row).includes(MARK))));
  };

  it('is 429 beyond 8 at once, which then neither erases nor stands in the audit trail', async () => {
    const held = await startHeldService();
    const { reached, release } = holdRequests(held.store);
    const eraseHere = async (n: number): Promise<number> =>
      (
        await fetch(`${held.url}/api/gdpr/users/u${n}`, {
          method: 'DELETE',
          headers: { 'X-API-Key': held.keys.secretKey },
        })
      ).status;
    const first = Array.from({ length: 8 }, (_, n) => eraseHere(n));
    await reached(8);
    const further = await Promise.all(Array.from({ length: 32 }, (_, n) => eraseHere(8 + n)));
    expect(new Set(further)).to.deep.equal(new Set([429]));
    release();
    expect(new Set(await Promise.all(first))).to.deep.equal(new Set([200]));
    const control = await ControlDatabase.open(held.folder, { secret: null });
    const { entries } = await control.audit.page(held.keys.organization.id);
    await control.close();
    expect(entries.filter(({ action }) => action === 'user.erase')).to.have.length(8);
    expect(await eraseHere(8)).to.equal(200);
    await held.stop();
  });

  it('leaves no byte of the user and of what nobody else has, in any file, raw or packed; others stay as they were', async () => {
    await fill();
    const before = await answers();
    expect(placesOf(test.folder, MARK).length).to.be.above(5);
    const response = await erase(USER);
    const { deleted } = await jsonOf(response);
    expect(deleted).to.deep.equal({ events: 202, profiles: 1, devices: 1 });
    expect(placesOf(test.folder, MARK)).to.deep.equal([]);
    const after = await answers();
    // The type "view" lost events of the erased user; the other queries are about others.
    expect(after.slice(1)).to.deep.equal(before.slice(1));
    expect(await test.rows('* | last 60 d | count')).to.deep.equal([{ count: 3801 }]);
  });

  it('takes every id that can stand in a path, and answers zeros for one that nobody knows', async () => {
    const ids = ['a/b', '%2F', 'ü 😀', 'x'.repeat(512), 'a?b#c', '42', '__proto__', 'a b', 'export'];
    await send('/track', { events: ids.map((user_id) => ({ event_type: 'e', user_id })) });
    for (const id of ids)
      expect(await jsonOf(await erase(id)), id).to.deep.equal({ deleted: { events: 1, profiles: 1, devices: 0 } });
    for (const id of [...ids, ' ', 'x'.repeat(600)])
      expect(await jsonOf(await erase(id)), id).to.deep.equal({ deleted: { events: 0, profiles: 0, devices: 0 } });
    expect(await test.rows('e | last 1 d | count')).to.deep.equal([{ count: 0 }]);
  });

  it('takes a secret key or a token with scope admin, in the header, and nothing else', async () => {
    const control = await ControlDatabase.open(test.folder, { secret: null });
    const by = { name: 'test', ip: null };
    const token = async (scopes: ('admin' | 'query')[]): Promise<string> =>
      (await control.tokens.create({ projectId: test.keys.project.id, name: 't', scopes, lifetimeMs: 60_000 }, by)).key;
    expect((await erase('a', { 'X-API-Key': await token(['admin']) })).status).to.equal(200);
    expect((await erase('a', { 'X-API-Key': await token(['query']) })).status).to.equal(403);
    expect((await erase('a', { 'X-API-Key': test.keys.project.publicKey })).status).to.equal(403);
    expect((await erase('a', { 'X-API-Key': test.keys.adminKey })).status).to.equal(403);
    expect((await erase('a', {})).status).to.equal(401);
    const inQuery = `${test.url}/api/gdpr/users/a?key=${test.keys.secretKey}`;
    expect((await fetch(inQuery, { method: 'DELETE' })).status).to.equal(401);
    await control.close();
  });

  it('stands in the audit trail without the id, before and whatever the user', async () => {
    await erase('nobody');
    const control = await ControlDatabase.open(test.folder, { secret: null });
    const { entries } = await control.audit.page(test.keys.organization.id, { limit: 1 });
    await control.close();
    expect(entries[0]).to.include({ action: 'user.erase', actor: `secret:${test.keys.project.id}`, ip: '127.0.0.1' });
    expect(entries[0]?.target)
      .to.match(/^prj_.*\/user:/)
      .and.not.to.contain('nobody');
  });

  it('is 503 where a file could not be opened, and says why', async () => {
    const held = await startHeldService();
    held.store.eraseUser = () => Promise.reject(Object.assign(new Error('too many open files'), { code: 'EMFILE' }));
    const headers = { 'X-API-Key': held.keys.secretKey };
    const answer = await fetch(`${held.url}/api/gdpr/users/u`, { method: 'DELETE', headers });
    expect(await jsonOf(answer)).to.deep.include({
      code: 'storage_unavailable',
      error: 'the server cannot use its disk at the moment (EMFILE)',
    });
    expect([answer.status, answer.headers.has('retry-after')]).to.deep.equal([503, true]);
    await held.stop();
  });

  it('stands there as failed where it failed', async () => {
    const held = await startHeldService();
    held.store.eraseUser = () => Promise.reject(new AppError('shard_damaged', 'the shard is damaged'));
    const headers = { 'X-API-Key': held.keys.secretKey };
    expect((await fetch(`${held.url}/api/gdpr/users/u`, { method: 'DELETE', headers })).ok).to.equal(false);
    const control = await ControlDatabase.open(held.folder, { secret: null });
    const { entries } = await control.audit.page(held.keys.organization.id, { limit: 2 });
    await control.close();
    await held.stop();
    expect(entries.map(({ action }) => action)).to.deep.equal(['user.erase_failed', 'user.erase']);
    expect(entries[0]?.target).to.equal(entries[1]?.target);
  });

  it('has alerts forget what they saw also where the service ends in the middle: the next start goes on with the erasure alone', async () => {
    const held = await startHeldService();
    await seenByAlert(held.folder, 'user_id u');
    held.store.eraseUser = async (_project, _userId, confirm) => {
      await confirm?.({ devices: [], upTo: 1 });
      throw new AppError('shutting_down', 'the service ends');
    };
    const headers = { 'X-API-Key': held.keys.secretKey };
    expect((await fetch(`${held.url}/api/gdpr/users/u`, { method: 'DELETE', headers })).ok).to.equal(false);
    const control = await ControlDatabase.open(held.folder, { secret: null });
    const [run] = await control.alerts.runs.list(held.keys.project.id, 'a');
    await control.close();
    await held.stop();
    expect(run?.saw).to.equal('forgotten, as a person was erased');
  });

  it('does not stop what runs: queries are answered, streams go on, another erasure waits its turn', async () => {
    await fill();
    const line = (n: number): string =>
      `${JSON.stringify({ event_type: 'bulk', insert_id: `b${n}`, user_id: `user ${n % OTHERS}` })}\n`;
    const stream = test.post('/track', Array.from({ length: 20_000 }, (_, n) => line(n)).join(''), {
      'Content-Type': 'application/x-ndjson',
    });
    const queries = Array.from({ length: 6 }, () => test.rows('view | last 60 d | unique user_id'));
    const erasures = await Promise.all([erase(USER), erase('user 7'), erase(USER)]);
    expect(erasures.map(({ status }) => status)).to.deep.equal([200, 200, 200]);
    expect(await jsonOf(await stream)).to.include({ accepted: 20_000, rejected: 0 });
    for (const rows of await Promise.all(queries)) expect(rows).to.have.length(1);
    expect(placesOf(test.folder, MARK)).to.deep.equal([]);
    const [bulk] = await test.rows('bulk | last 1 d | count');
    expect(bulk?.['count']).to.be.within(20_000 - Math.ceil(20_000 / OTHERS), 20_000);
  });

  it('lets an event with an erased insert id be stored again, as a new one', async () => {
    const event = { event_type: 'e', user_id: 'ann', insert_id: 'once' };
    await send('/track', event);
    await erase('ann');
    await send('/track', event);
    expect(await test.rows('e | last 1 d | count')).to.deep.equal([{ count: 1 }]);
  });
});
