import { expect } from 'chai';
import fc from 'fast-check';
import { text } from 'node:stream/consumers';
import { ClickHouse, type Access } from '../../../lib/clickhouse/client.ts';
import { readLastArrival } from '../../../lib/clickhouse/names.ts';
import type { ClickHouseStore } from '../../../lib/clickhouse/store.ts';
import { eraseUser } from '../../../lib/clickhouse/user-data.ts';
import type { EventStore } from '../../../../lib/store/event-store.ts';
import { newWorld, TESTER } from '../../../../test/control/open-control.ts';
import { gatherWithout } from '../../../../test/oracle/gather.ts';
import { runs, replay } from '../../../../test/properties/settings.ts';
import { eventsOfOracle } from '../../../../test/properties/stored-facts.ts';
import { USERS, world } from '../../../../test/properties/worlds.ts';
import { clickHouseAccess } from '../../support/chdb-server/chdb-server.ts';
import { PLAIN, StoreSubject } from '../../../../test/support/store-subject.ts';
import { batch, openStore, send } from './clickhouse-store.ts';
import { eventsInClickHouse } from './stored-rows.ts';
import { refusal } from '../../../../test/support/refusal.ts';

describe('what ClickHouse has of a user', () => {
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

  it('is handed out and erased as by the embedded store, and what is left is what the oracle leaves', async () => {
    const beside = await embedded.store;
    await fc.assert(
      fc.asyncProperty(world, fc.constantFrom(...USERS), async (requests, user) => {
        const project = `prj_user_${++count}`;
        const { project: ref } = batch(project, []);
        for (const request of requests) {
          await send(store, project, request);
          await send(beside, project, request);
        }
        expect(await exported(store, project, user)).to.deep.equal(await exported(beside, project, user));
        const [erased, expected] = [await store.eraseUser(ref, user), await beside.eraseUser(ref, user)];
        expect(erased).to.deep.equal(expected);
        expect(await exported(store, project, user)).to.deep.equal([]);
        expect(await eventsInClickHouse(clickHouse, project)).to.deep.equal(
          eventsOfOracle(gatherWithout(requests, user)),
        );
        for (const device of ['d1', 'd2', 'd3', '__proto__']) {
          const [here, there] = [await store.device(ref, device), await beside.device(ref, device)];
          expect(here?.userId ?? null, device).to.equal(there?.userId ?? null);
        }
      }),
      { numRuns: runs(4), endOnFailure: true, ...replay() },
    );
  });

  it('is erased only after the log of erasures took it, with the devices and the next arrival', async () => {
    const { project } = batch('prj_log', []);
    await send(store, 'prj_log', { at: Date.now(), track: [{ event_type: 'a', device_id: 'd' }] });
    await send(store, 'prj_log', { at: Date.now(), identify: { user_id: 'ann', device_id: 'd' } });
    const told: unknown[] = [];
    const refused = store.eraseUser(project, 'ann', (toErase) => {
      told.push(toErase);
      throw new Error('the log is full');
    });
    expect(await refused.catch(String)).to.equal('Error: the log is full');
    expect(await store.eraseUser(project, 'ann', (toErase) => told.push(toErase))).to.deep.equal({ events: 1, profiles: 1, devices: 1 }); // prettier-ignore
    expect(told).to.have.length(2);
    expect(told[0])
      .to.deep.include({ devices: ['d'] })
      .and.to.have.property('upTo')
      .that.is.above(2);
    const { rows } = await clickHouse.query({
      sql: "SELECT command FROM system.mutations WHERE command LIKE '%prj_log%'",
    });
    expect(rows).to.have.length.above(0);
    expect(JSON.stringify(rows)).to.not.include('ann');
  });

  it('stays as far as it came after an erasure had its turn, but for the profile, which grew out of what is erased', async () => {
    const project = 'prj_late';
    await send(store, project, { at: Date.now(), track: [{ event_type: 'before', user_id: 'ann' }] });
    await send(store, project, {
      at: Date.now(),
      identify: { user_id: 'ann', device_id: 'd', user_properties: { x: 1 } },
    });
    const upTo = (await readLastArrival(clickHouse, project)) + 1;
    await send(store, project, {
      at: Date.now(),
      track: [{ event_type: 'after', user_id: 'ann', user_properties: { y: 1 } }],
    });
    await send(store, project, { at: Date.now(), identify: { user_id: 'bob', device_id: 'd' } });
    expect(await eraseUser(clickHouse, project, { userId: 'ann', devices: ['d'], upTo })).to.include({ events: 1 });
    const { rows } = await clickHouse.query({ sql: "SELECT event_type FROM events WHERE project = 'prj_late'" });
    expect(rows).to.deep.equal([['after']]);
    const { rows: left } = await clickHouse.query({ sql: "SELECT user_id, device_id FROM identities WHERE project = 'prj_late' ORDER BY device_id" }); // prettier-ignore
    expect(left).to.deep.equal([['bob', ''], ['bob', 'd']]); // prettier-ignore
  });

  it('of a deleted project is taken by no other node either, whether or not it has heard of the deletion', async () => {
    const { control, project } = await newWorld();
    const shared = { turns: control.ingestTurns };
    const [one, other] = [openStore(access, shared), openStore(access, shared)];
    for (const node of [one, other])
      expect(await node.append(batch(project.id, [{ event_type: 'a', user_id: 'ann' }]))).to.include({ accepted: 1 });
    await control.projects.delete(project.id, TESTER);
    await one.drop(project.id);
    const late = batch(project.id, [{ event_type: 'a', user_id: 'ann' }]);
    expect(await refusal(() => other.append(late))).to.include({ code: 'not_found' });
    expect(await other.extent(batch(project.id, []).project)).to.equal(null);
    await Promise.all([one.close(), other.close()]);
  });

  it('is all that can be deleted yet: other events are not, which is said', async () => {
    expect(await refusal(() => store.deleteEvents())).to.include({ code: 'not_available' });
  });

  it('goes with its project, for which nothing is taken any more', async () => {
    await send(store, 'prj_gone', {
      at: Date.now(),
      track: [{ event_type: 'a', user_id: 'ann', user_properties: { x: 1 } }],
    });
    await store.drop('prj_gone');
    for (const table of ['events', 'identities'])
      expect((await clickHouse.query({ sql: `SELECT count() FROM ${table} WHERE project = 'prj_gone'` })).rows).to.deep.equal([[0]]); // prettier-ignore
    expect(await refusal(() => store.append(batch('prj_gone', [{ event_type: 'a' }])))).to.include({
      code: 'not_found',
    });
  });
});

/** The lines of an export. Ids made by a store differ between stores. */
async function exported(from: EventStore, project: string, user: string): Promise<string[]> {
  const lines = (await text(from.exportUser(batch(project, []).project, user))).split('\n');
  return lines.filter((line) => line !== '').map((line) => line.replace(/"evt_[0-9a-f]{16}"/, '"evt_"'));
}
