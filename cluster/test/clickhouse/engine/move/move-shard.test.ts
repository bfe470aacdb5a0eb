import { expect } from 'chai';
import fc from 'fast-check';
import { ClickHouse } from '../../../../lib/clickhouse/client.ts';
import { moveShard } from '../../../../lib/clickhouse/move/move-events.ts';
import type { ClickHouseStore } from '../../../../lib/clickhouse/store.ts';
import { shardPath } from '../../../../../lib/shards/file/shard-file.ts';
import type { DeviceBindings } from '../../../../../lib/shards/writer-messages.ts';
import { gather, gatherWithout } from '../../../../../test/oracle/gather.ts';
import type { WorldRequest } from '../../../../../test/oracle/world.ts';
import { runs, replay } from '../../../../../test/properties/settings.ts';
import { eventsOfOracle, profilesOfOracle } from '../../../../../test/properties/stored-facts.ts';
import { USERS, world } from '../../../../../test/properties/worlds.ts';
import { clickHouseAccess } from '../../../support/chdb-server/chdb-server.ts';
import { NOW, WriterProbe } from '../../../../../test/support/shard-rows.ts';
import { temporaryFolder } from '../../../../../test/support/temporary-folder.ts';
import { wireJson } from '../../../../../test/support/wire-json.ts';
import { batch, openStore } from '../clickhouse-store.ts';
import { eventsInClickHouse, hotFaults, profilesInClickHouse } from '../stored-rows.ts';

const DEVICES = ['d1', 'd2', 'd3', '__proto__'];

describe('a shard that is copied to ClickHouse', () => {
  const folder = temporaryFolder();
  let clickHouse: ClickHouse;
  let store: ClickHouseStore;
  let probe: WriterProbe;
  let count = 0;

  before(async () => {
    const access = await clickHouseAccess();
    clickHouse = new ClickHouse(access);
    store = openStore(access);
    probe = new WriterProbe(folder);
  });
  after(async () => {
    await Promise.all([store.close(), clickHouse.close()]);
  });

  const send = (project: string, requests: readonly WorldRequest[]): void => {
    for (const request of requests) {
      try {
        if ('unbind' in request) probe.append('unbind', request.unbind, request.at, project);
        else if ('track' in request) probe.append('track', wireJson({ events: request.track }), request.at, project);
        else probe.append('identify', wireJson(request.identify), request.at, project);
      } catch (error) {
        if (!String(error).startsWith('Error: bad_request')) throw error; // the oracle refuses it too
      }
    }
  };
  const move = (project: string): ReturnType<typeof moveShard> => {
    probe.snapshot(project);
    return moveShard(clickHouse, project, shardPath(folder, project));
  };
  const expectDevices = async (project: string): Promise<void> => {
    const { project: of } = batch(project, []);
    for (const deviceId of DEVICES) {
      const there = probe.ask<DeviceBindings | null>({ op: 'device', project: of, deviceId });
      expect(await store.device(of, deviceId), deviceId).to.deep.equal(there);
    }
  };
  const rows = async (project: string): Promise<number> => (await store.extent(batch(project, []).project))?.rows ?? 0;

  it('is there as the oracle has it, also what came since an earlier copy; a further one changes nothing', async () => {
    await fc.assert(
      fc.asyncProperty(world, fc.nat(20), async (requests, half) => {
        const project = `prj_move_${++count}`;
        send(project, requests.slice(0, half));
        await move(project);
        send(project, requests.slice(half));
        const moved = await move(project);
        const facts = gather(requests);
        expect(await eventsInClickHouse(clickHouse, project)).to.deep.equal(eventsOfOracle(facts));
        expect(await hotFaults(clickHouse, project)).to.deep.equal([]);
        expect(moved.events).to.equal(facts.events.length);
        await expectProfiles(project, profilesOfOracle(facts));
        await expectDevices(project);
        expect(await move(project)).to.deep.equal({ ...moved, copied: 0, removed: 0 });
      }),
      { numRuns: runs(6), endOnFailure: true, ...replay() },
    );
  });

  it('has nothing more of a user who was erased between two copies', async () => {
    await fc.assert(
      fc.asyncProperty(world, fc.constantFrom(...USERS), async (requests, user) => {
        const project = `prj_move_${++count}`;
        send(project, requests);
        await move(project);
        probe.erase(user, project);
        await move(project);
        const facts = gatherWithout(requests, user);
        expect(await eventsInClickHouse(clickHouse, project)).to.deep.equal(eventsOfOracle(facts));
        expect([...(await profilesInClickHouse(clickHouse, project)).keys()]).to.not.include(user);
        await expectDevices(project);
      }),
      { numRuns: runs(4), endOnFailure: true, ...replay() },
    );
  });

  it('is mended where an earlier copy left part of a day, or a day twice', async () => {
    const project = 'prj_torn';
    const day = 86_400_000;
    const events = Array.from({ length: 30 }, (_, i) => ({ event_type: 'a', device_id: 'd', time: NOW - (i % 3) * day, insert_id: `${i}` })); // prettier-ignore
    send(project, [{ at: NOW, track: events }]);
    expect(await move(project)).to.include({ events: 30, days: 3, copied: 30, removed: 0 });
    await clickHouse.run({
      sql: `INSERT INTO events SELECT * FROM events WHERE project = '${project}' AND time = ${NOW}`,
    });
    await clickHouse.run(
      {
        sql: `ALTER TABLE events DELETE WHERE project = '${project}' AND insert_id IN ('1', '4')`,
        ...{ params: {} },
      },
      { settings: { mutations_sync: '2' } },
    );
    expect(await rows(project)).to.equal(38);
    expect(await move(project)).to.include({ events: 30, copied: 20, removed: 28 });
    expect(await rows(project)).to.equal(30);
  });

  it('remembers its insert ids, and is followed by the next arrival', async () => {
    const project = 'prj_ids';
    const events = [{ event_type: 'a', insert_id: 'x' }, { event_type: 'a' }];
    send(project, [{ at: NOW, track: events }]);
    await move(project);
    const own = openStore(await sameAccess());
    expect(await own.append(batch(project, events, NOW + 1_000))).to.include({ accepted: 2 });
    expect(await rows(project)).to.equal(3);
    const { rows: arrivals } = await clickHouse.query({ sql: `SELECT arrival FROM events WHERE project = '${project}' ORDER BY arrival` }); // prettier-ignore
    expect(new Set(arrivals.flat()).size).to.equal(3);
    await own.close();
  });

  it('is left alone once it is in use in ClickHouse', async () => {
    const project = 'prj_used';
    send(project, [{ at: NOW, track: [{ event_type: 'a' }] }]);
    await move(project);
    await store.append(batch(project, [{ event_type: 'b' }]));
    expect(String(await move(project).catch((error: unknown) => error))).to.match(/events in ClickHouse that this folder never had/); // prettier-ignore
    expect(await rows(project)).to.equal(2);
  });

  it('keeps its counters of usage', async () => {
    const project = 'prj_counted';
    send(project, [
      {
        at: NOW,
        track: [
          { event_type: 'a', insert_id: '1' },
          { event_type: 'a', insert_id: '1' },
        ],
      },
    ]);
    for (let n = 0; n < 2; n++) await move(project);
    const sql = `SELECT toString(date), sum(ingested), sum(stored), sum(duplicate) FROM usage_counts FINAL WHERE project = '${project}' GROUP BY date`; // prettier-ignore
    expect((await clickHouse.query({ sql })).rows).to.deep.equal([['2026-06-01', 2, 1, 1]]);
  });

  const sameAccess = async (): Promise<Parameters<typeof openStore>[0]> => {
    const { rows: names } = await clickHouse.query({ sql: 'SELECT currentDatabase()' });
    return { ...(await clickHouseAccess()), database: String(names[0]?.[0]) };
  };

  async function expectProfiles(project: string, expected: ReturnType<typeof profilesOfOracle>): Promise<void> {
    const stored = await profilesInClickHouse(clickHouse, project);
    for (const { userId, properties } of expected) {
      const { email_domain: _domain, ...here } = (stored.get(String(userId)) ?? {}) as Record<string, unknown>;
      expect(here, String(userId)).to.deep.equal(properties);
    }
  }
});
