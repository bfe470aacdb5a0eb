import { expect } from 'chai';
import fc from 'fast-check';
import { join } from 'node:path';
import { mkdirSync } from 'node:fs';
import { ClickHouse } from '../../../../lib/clickhouse/client.ts';
import { fetchShard } from '../../../../lib/move/export-project.ts';
import type { ClickHouseStore } from '../../../../lib/clickhouse/store.ts';
import { shardPath } from '../../../../../lib/shards/file/shard-file.ts';
import { checkShard } from '../../../../../lib/shards/upkeep/check.ts';
import type { DeviceBindings } from '../../../../../lib/shards/writer-messages.ts';
import { gather } from '../../../../../test/oracle/gather.ts';
import { runs, replay } from '../../../../../test/properties/settings.ts';
import {
  eventsInShard,
  eventsOfOracle,
  profilesInShard,
  profilesOfOracle,
} from '../../../../../test/properties/stored-facts.ts';
import { world } from '../../../../../test/properties/worlds.ts';
import { clickHouseAccess } from '../../../support/chdb-server/chdb-server.ts';
import { openReader, WriterProbe } from '../../../../../test/support/shard-rows.ts';
import { temporaryFolder } from '../../../../../test/support/temporary-folder.ts';
import { batch, openStore, send } from '../clickhouse-store.ts';

describe('a project of ClickHouse that becomes a shard', () => {
  const folder = temporaryFolder();
  let clickHouse: ClickHouse;
  let store: ClickHouseStore;
  let count = 0;

  before(async () => {
    const access = await clickHouseAccess();
    clickHouse = new ClickHouse(access);
    store = openStore(access);
    mkdirSync(join(folder, 'shards'));
  });
  after(async () => {
    await Promise.all([store.close(), clickHouse.close()]);
  });

  it('is whole, has what the oracle has, and is written on', async () => {
    const probe = new WriterProbe(folder);
    await fc.assert(
      fc.asyncProperty(world, async (requests) => {
        const project = `prj_fetch_${++count}`;
        for (const request of requests) await send(store, project, request);
        const file = shardPath(folder, project);
        const facts = gather(requests);
        expect(await fetchShard(clickHouse, project, file)).to.equal(facts.events.length);
        expect(checkShard(file)).to.deep.equal([]);
        const snapshot = probe.snapshot(project);
        const reader = openReader(snapshot);
        expect(eventsInShard(reader, snapshot)).to.deep.equal(eventsOfOracle(facts));
        expect(plain(profilesInShard(reader, snapshot))).to.deep.equal(plain(profilesOfOracle(facts)));
        reader.forget();
        for (const deviceId of ['d1', 'd2', 'd3', '__proto__']) {
          const here = probe.ask<DeviceBindings | null>({
            op: 'device',
            project: batch(project, []).project,
            deviceId,
          });
          expect(here, deviceId).to.deep.equal(await store.device(batch(project, []).project, deviceId));
        }
      }),
      { numRuns: runs(6), endOnFailure: true, ...replay() },
    );
  });

  it('remembers insert ids, and gives later events later arrival numbers', async () => {
    const project = 'prj_fetch_ids';
    const [uuid, hex, text] = ['0f0e0d0c-0b0a-4908-8706-050403020100', '00112233445566ff', "it's"];
    const events = [uuid, hex, text].map((id) => ({ event_type: 'a', insert_id: id }));
    const now = Date.now();
    await store.append(batch(project, [...events, { event_type: 'made' }], now));
    await fetchShard(clickHouse, project, shardPath(folder, project));
    const probe = new WriterProbe(folder);
    probe.track([...events, { event_type: 'b', insert_id: 'new' }], now + 1_000, project);
    const snapshot = probe.snapshot(project);
    expect(snapshot.segments.reduce((sum, { rows }) => sum + rows, 0)).to.equal(5);
    const reader = openReader(snapshot);
    const arrivals = snapshot.segments.flatMap(({ id }) => [...reader.segment(id).arrivals()]);
    expect(new Set(arrivals).size).to.equal(5);
    const ids = snapshot.segments.flatMap(({ id, rows }) => {
      return Array.from({ length: rows }, (_, row) => reader.segment(id).insertIds().text(row));
    });
    expect(ids).to.include.members([uuid, hex, text, 'new']);
    reader.forget();
  });
});

/** Without what is undefined. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
