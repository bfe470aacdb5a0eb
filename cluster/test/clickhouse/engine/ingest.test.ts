import { expect } from 'chai';
import fc from 'fast-check';
import { ClickHouse, type Access } from '../../../lib/clickhouse/client.ts';
import type { ClickHouseStore } from '../../../lib/clickhouse/store.ts';
import { openControl } from '../../../../test/control/open-control.ts';
import type { World } from '../../../../test/oracle/world.ts';
import { gather } from '../../../../test/oracle/gather.ts';
import { runs, replay } from '../../../../test/properties/settings.ts';
import { eventsOfOracle, profilesOfOracle } from '../../../../test/properties/stored-facts.ts';
import { USERS, world } from '../../../../test/properties/worlds.ts';
import { clickHouseAccess } from '../../support/chdb-server/chdb-server.ts';
import { PLAIN, StoreSubject } from '../../../../test/support/store-subject.ts';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { batch, openStore, send } from './clickhouse-store.ts';
import { eventsInClickHouse, profilesInClickHouse } from './stored-rows.ts';
import { outcomeOf } from '../../../../test/support/refusal.ts';

describe('events on their way into ClickHouse', () => {
  let access: Access;
  let clickHouse: ClickHouse;
  let store: ClickHouseStore;
  let embedded: StoreSubject;
  let count = 0;

  before(async () => {
    access = await clickHouseAccess();
    clickHouse = new ClickHouse(access);
    store = openStore(access);
    embedded = new StoreSubject(PLAIN);
  });

  after(async () => {
    await Promise.all([store.close(), embedded.close(), clickHouse.close()]);
  });

  it('are what the oracle makes of a world, with the answers of the embedded store', async () => {
    const beside = await embedded.store;
    await fc.assert(
      fc.asyncProperty(world, fc.boolean(), async (requests, lines) => {
        const project = `prj_${++count}`;
        for (const request of requests) {
          const answers = [await send(store, project, request, lines), await send(beside, project, request, lines)];
          expect(answers[0]).to.deep.equal(answers[1]);
        }
        const facts = gather(requests);
        expect(await eventsInClickHouse(clickHouse, project)).to.deep.equal(eventsOfOracle(facts));
        await expectProfiles(project, requests);
        for (const device of ['d1', 'd2', '__proto__']) {
          const [here, there] = [await store.device(batch(project, []).project, device), await beside.device(batch(project, []).project, device)]; // prettier-ignore
          expect(here?.userId ?? null).to.equal(there?.userId ?? null);
          expect(here?.history.map(({ action, userId }) => [action, userId])).to.deep.equal(there?.history.map(({ action, userId }) => [action, userId])); // prettier-ignore
        }
        const [here, there] = [await store.catalog(batch(project, []).project), await beside.catalog(batch(project, []).project)]; // prettier-ignore
        expect(new Set(here.events.map(({ name }) => name))).to.deep.equal(
          new Set(there.events.map(({ name }) => name)),
        );
        expect(here.fields.filter((field) => !there.fields.includes(field))).to.deep.equal([]);
        expect(there.fields.filter((field) => !here.fields.includes(field))).to.deep.equal([]);
        expect(await store.extent(batch(project, []).project)).to.deep.equal(await beside.extent(batch(project, []).project)); // prettier-ignore
      }),
      { numRuns: runs(6), endOnFailure: true, ...replay() },
    );
  });

  it('are stored once, however often and by however many stores a batch is sent at once', async () => {
    const folder = temporaryFolder();
    const nodes = [await openControl(folder), await openControl(folder)];
    const stores = nodes.map(({ ingestTurns: turns }) => openStore(access, { turns }));
    const events = Array.from({ length: 500 }, (_, i) => ({
      event_type: 'a',
      insert_id: `id-${i}'\\`,
      device_id: 'd',
    }));
    const answers = await Promise.all([...stores, ...stores].map((one) => one.append(batch('prj_twice', events))));
    for (const answer of answers) expect(answer).to.include({ accepted: 500, rejected: 0 });
    expect(await store.extent(batch('prj_twice', []).project)).to.include({ rows: 500 });
    await Promise.all(stores.map((one) => one.close()));
  });

  it('forget an insert id after seven days, and not before', async () => {
    const day = 86_400_000;
    const now = Date.now();
    const sent = async (at: number): Promise<number> => {
      await store.append(batch('prj_window', [{ event_type: 'a', insert_id: 'same' }], at));
      return (await store.extent(batch('prj_window', []).project))?.rows ?? 0;
    };
    expect(await sent(now)).to.equal(1);
    expect(await sent(now + 7 * day - 1)).to.equal(1);
    expect(await sent(now + 7 * day)).to.equal(2);
  });

  it('are refused with a way out where too many bytes wait', async () => {
    const small = openStore(access, { queueBytes: 4_000 });
    const events = [{ event_type: 'x'.repeat(200), device_id: 'd' }];
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => outcomeOf(small.append(batch('prj_full', events)))),
    );
    const refused = answers.filter((answer) => 'error' in answer);
    expect(refused).to.have.length.above(0).and.below(20);
    for (const answer of refused) expect(answer).to.have.nested.property('error.code', 'overloaded');
    expect(await store.extent(batch('prj_full', []).project)).to.include({ rows: 20 - refused.length });
    expect(small.stats().queuedBytes).to.equal(0);
    await small.close();
  });

  it('change at most 16 MiB of profiles in a request, and never have more of them in memory', async () => {
    const large = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`k${i}`, `${i}`.padEnd(8_000, 'x')]));
    const events = (from: number, to: number, properties: object): object[] =>
      Array.from({ length: to - from }, (_, i) => ({ event_type: 'e', user_id: `u${from + i}`, user_properties: properties })); // prettier-ignore
    const append = (of: readonly object[]) => outcomeOf(store.append(batch('prj_profiles', of)));
    for (let user = 0; user < 80; user += 10) await append(events(user, user + 10, large));

    // oxlint-disable-next-line typescript/unbound-method -- called with its own `this`
    const { query } = ClickHouse.prototype;
    const read: number[] = [];
    ClickHouse.prototype.query = async function (this: ClickHouse, ...asked) {
      const answer = await query.apply(this, asked);
      if (asked[0].sql.startsWith('SELECT user_id, profile')) read.push(JSON.stringify(answer.rows).length);
      return answer;
    };
    try {
      const refused = await append(events(0, 71, { t: 1 }));
      expect(refused).to.have.nested.property('error.code', 'payload_too_large');
      expect(read).to.deep.equal([]);
      expect(await append(events(0, 60, { t: 2 }))).to.include({ accepted: 60 });
      read.length = 0;
      // The first is on its way while the others wait, which are taken up together.
      const waiting = [[60, 61], [0, 40], [0, 80], [40, 80]] as const; // prettier-ignore
      const answers = await Promise.all(waiting.map(([from, to]) => append(events(from, to, { t: 3 }))));
      expect(answers.map((answer) => 'error' in answer)).to.deep.equal([false, false, true, false]);
      expect(read, 'read apart').to.have.length(3);
      for (const length of read) expect(length).to.be.below(17 << 20);
    } finally {
      ClickHouse.prototype.query = query;
    }
    const stored = await profilesInClickHouse(clickHouse, 'prj_profiles');
    expect([...stored.values()].map((profile) => (profile as { t: number }).t)).to.deep.equal(Array(80).fill(3));
    const { rows } = (await store.extent(batch('prj_profiles', []).project))!;
    expect(rows).to.equal(80 + 60 + 1 + 40 + 40);
  });

  it('are counted while they are on their way, and their inserts after that', async () => {
    const own = openStore(access);
    const sent = own.append(batch('prj_stats', [{ event_type: 'a', device_id: 'd' }, { event_type: 'b', device_id: 'd' }])); // prettier-ignore
    while (own.stats().pendingRows !== 2) await new Promise((resolve) => setImmediate(resolve));
    expect(own.stats()).to.include({ seals: 0, sealSeconds: 0 });
    expect(own.stats().pendingSeconds).to.be.above(0);
    await sent;
    expect(own.stats()).to.include({ pendingRows: 0, pendingSeconds: 0, seals: 1, sealFailures: 0, queuedBytes: 0 });
    expect(own.stats().sealSeconds).to.be.above(0);
    await own.close();
  });

  async function expectProfiles(project: string, requests: World): Promise<void> {
    const stored = await profilesInClickHouse(clickHouse, project);
    for (const { userId, properties } of profilesOfOracle(gather(requests))) {
      const { email_domain: _domain, ...here } = (stored.get(String(userId)) ?? {}) as Record<string, unknown>;
      expect(here, `${String(userId)} of ${USERS.join()}`).to.deep.equal(properties);
    }
  }
});
