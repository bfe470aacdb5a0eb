import { expect } from 'chai';
import fs from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { ControlDatabase } from '../../../lib/control/database.ts';
import { fetch } from '../../support/checked-fetch.ts';
import { sharedService } from '../../support/shared-service.ts';
import { makeTenant } from '../../support/tenants.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { placesOf } from '../../support/stored-texts.ts';

type Json = Record<string, unknown>;

describe('DELETE /events', () => {
  let test: TestService;
  before(async () => {
    test = await startTestService({ WINDLASS_SEAL_ROWS: '7' });
  });
  after(() => test.stop());

  const call = async (body: unknown, key = test.keys.secretKey, path = '/events'): Promise<[number, Json]> => {
    const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' };
    const answer = await fetch(test.url + path, { method: 'DELETE', headers, body: JSON.stringify(body) });
    return [answer.status, (await answer.json()) as Json];
  };
  const track = async (events: readonly Json[]): Promise<void> => {
    expect((await test.post('/track', { events })).status).to.equal(200);
  };
  const count = async (event: string): Promise<unknown> =>
    (await test.rows(`* | all | where event_type = "${event}" | count`))[0]?.['count'];
  const series = (event: string, more: Json = {}): Json[] =>
    Array.from({ length: 10 }, (_, n) => ({ event_type: event, insert_id: `${event} ${n}`, event_properties: { n }, ...more })); // prettier-ignore

  it('undoes an import: its bytes are gone, and it may run again', async () => {
    const imported = series('zebra', { import_id: 'may', time: '2024-05-01', event_properties: { own: 'quagga' } });
    await track(imported);
    await track(series('okapi'));
    expect(await call({ import_id: 'may', dry_run: true })).to.deep.equal([200, { matching: 10, deleted: 0, dry_run: true }]); // prettier-ignore
    expect(await call({ import_id: 'may' }, undefined, '/events?dry_run=true')).to.deep.equal([200, { matching: 10, deleted: 0, dry_run: true }]); // prettier-ignore
    expect(await count('zebra')).to.equal(10);
    expect(await call({ import_id: 'may' })).to.deep.equal([200, { matching: 10, deleted: 10, dry_run: false }]);
    expect(placesOf(test.folder, 'quagga')).to.deep.equal([]);
    expect([await count('zebra'), await count('okapi')]).to.deep.equal([0, 10]);
    expect(await call({ import_id: 'may' })).to.deep.equal([200, { matching: 0, deleted: 0, dry_run: false }]);
    await track([...imported, ...series('okapi')]);
    expect([await count('zebra'), await count('okapi')], 'ids of others stay').to.deep.equal([10, 10]);
  });

  it('deletes what all conditions select, of all times unless a range is given, ahead of now too', async () => {
    const now = Date.now();
    const at = (days: number): Json => ({ time: new Date(now + days * 86_400_000).toISOString() });
    await track([...series('a', at(-3)), ...series('b', at(-400)), ...series('c', at(0.9))]);
    const where = 'event_properties.n < 3 or event_properties.n = 9';
    expect((await call({ event: 'a', range: 'last 1d', where }))[1]['deleted']).to.equal(0);
    expect((await call({ event: 'a', range: 'last 30d', where }))[1]['deleted']).to.equal(4);
    expect((await call({ event: ['a', 'b'], where: 'event_properties.n = 5' }))[1]['deleted']).to.equal(2);
    expect((await call({ event: 'c', range: 'all' }))[1]['deleted']).to.equal(10);
    expect((await call({ range: 'from 2000-01-01 to 2001-01-01' }))[1]['deleted']).to.equal(0);
    expect([await count('a'), await count('b'), await count('c')]).to.deep.equal([5, 9, 0]);
  });

  it('takes conditions on persons, and what they are in', async () => {
    await track([...series('d', { user_id: 'u1' }), ...series('e', { user_id: 'u1' }), ...series('f', { user_id: 'u2' })]); // prettier-ignore
    expect((await call({ where: 'did(e) >= 10 and event_type in ("d", "f")' }))[1]['deleted']).to.equal(10);
    expect([await count('d'), await count('f')]).to.deep.equal([0, 10]);
  });

  it('is in the audit trail, without the values of a condition', async () => {
    await track(series('audited'));
    await call({ event: 'audited', where: 'event_properties.n != 77' });
    const control = await ControlDatabase.open(test.folder, { secret: null });
    const [entry] = (await control.audit.page(test.keys.organization.id, { limit: 1 })).entries;
    await control.close();
    expect(entry).to.deep.include({ action: 'events.delete' });
    expect(entry?.changes).to.deep.equal({
      events: { from: 10, to: 0 },
      event: { from: 'audited', to: null },
      where: { from: 'a condition', to: null },
    });
  });

  it('leaves the bill as it was', async () => {
    const own = await test.another();
    const today = new Date().toISOString().slice(0, 10);
    const stored = async (): Promise<unknown> => (await own.usage({ from: today, to: today }))[0]?.events_stored;
    await own.post('/track', { events: series('billed') });
    expect((await call({ event: 'billed' }, own.keys.secretKey))[1]['deleted']).to.equal(10);
    while ((await stored()) === 0) await sleep(20);
    expect(await stored()).to.equal(10);
  });

  it('refuses what selects everything, or is no condition', async () => {
    await track(series('kept'));
    for (const [body, message] of [
      [{}, 'This would delete all events: name at least one condition.'],
      [{ range: 'all' }, 'This would delete all events: name at least one condition.'],
      [{ range: 'last 30d | list' }, '"range" is no range of the language.'],
      [{ range: 'list' }, '"range" is no range of the language.'],
      [{ event: [] }, '"event" must be a name, or a list of up to 100 names.'],
      [{ event: 5 }, '"event" must be a name, or a list of up to 100 names.'],
      [{ import_id: 'x'.repeat(65) }, '"import_id" must be a text of at most 64 characters.'],
      [{ where: '' }, '"where" must be a condition in the pipe language, of at most 4,096 characters.'],
      [{ where: 'a' }, 'expected'],
      [{ where: 'event_type = "x") or (event_type != "x"' }, 'expected'],
      [{ where: 'event_type = "x" | limit 1' }, 'expected'],
      [{ where: 'nosuch = 1' }, 'expected a field'],
      [{ event: 'kept', dry_run: 'yes' }, '"dry_run" must be true or false.'],
      [{ evnet: 'kept' }, 'event'],
      ['text', 'The body must be a JSON object'],
    ] as const) {
      const [status, answer] = await call(body);
      expect([status, String(answer['error'])], JSON.stringify(body)).to.satisfy(
        ([code, error]: [number, string]) => code === 400 && error.includes(message),
      );
    }
    expect((await call({ event: 'x" or event_type != "y' }))[1]['deleted'], 'names are no conditions').to.equal(0);
    expect(await count('kept')).to.equal(10);
  });

  it('is for secret keys, and tokens with scope admin', async () => {
    const shared = await sharedService();
    const { publicKey, secretKey } = await makeTenant(shared, 'Deleting');
    const ask = async (key: string): Promise<number> => {
      const headers = { 'X-API-Key': key };
      const body = JSON.stringify({ event: 'x' });
      return (await fetch(`${shared.url}/events`, { method: 'DELETE', headers, body })).status;
    };
    expect([await ask(publicKey), await ask('sk_wrong'), await ask(secretKey)]).to.deep.equal([403, 401, 200]);
    expect((await fetch(`${shared.url}/events?key=${secretKey}`, { method: 'DELETE' })).status).to.equal(401);
  });

  it('deletes what was acknowledged before, and nothing that comes meanwhile', async () => {
    let next = 0;
    const acknowledged = new Set<number>();
    const stop = new AbortController();
    const send = async (): Promise<void> => {
      while (!stop.signal.aborted) {
        const own = Array.from({ length: 20 }, () => next++);
        await track(own.map((n) => ({ event_type: 'storm', import_id: 's', insert_id: `s${n}`, event_properties: { n } }))); // prettier-ignore
        for (const n of own) acknowledged.add(n);
      }
    };
    const senders = [send(), send(), send()];
    for (let round = 0; round < 4; round++) {
      while (acknowledged.size < 200 * (round + 1)) await sleep(5);
      const before = new Set(acknowledged);
      const begun = next;
      expect((await call({ import_id: 's' }))[0]).to.equal(200);
      const rows = await test.rows('storm | all | list event_properties.n | limit 100000');
      const left = rows.map((row) => Number(row['event_properties.n']));
      expect(left.filter((n) => before.has(n))).to.deep.equal([]);
      expect(begun).to.be.at.most(next);
    }
    stop.abort();
    await Promise.all(senders);
    const now = next;
    expect((await call({ import_id: 's' }))[0]).to.equal(200);
    await track([{ event_type: 'storm', import_id: 's', insert_id: 's0', event_properties: { n: now } }]);
    expect(await test.rows('storm | all | list event_properties.n')).to.deep.equal([{ 'event_properties.n': now }]);
  });

  it('is 429 where an organization fills the log of erasures', async () => {
    const small = await startTestService({ WINDLASS_ERASED_DEVICES: '1' });
    try {
      const headers = { 'X-API-Key': small.keys.secretKey };
      const remove = async (event: string): Promise<number> => {
        await small.post('/track', { event_type: event });
        return (await fetch(`${small.url}/events`, { method: 'DELETE', headers, body: JSON.stringify({ event }) })).status; // prettier-ignore
      };
      expect([await remove('one'), await remove('two')]).to.deep.equal([200, 429]);
    } finally {
      await small.stop();
    }
  });

  it('leaves no note behind', () => {
    expect(fs.readdirSync(`${test.folder}/shards`).filter((name) => name.endsWith('.erasing'))).to.deep.equal([]);
  });
});
