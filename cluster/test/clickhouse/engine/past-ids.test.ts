import { expect } from 'chai';
import { setThresholds, type End } from '../../../../lib/base/threshold.ts';
import { ClickHouse, type Access } from '../../../lib/clickhouse/client.ts';
import { PastIds } from '../../../lib/clickhouse/past-ids.ts';
import type { ClickHouseStore } from '../../../lib/clickhouse/store.ts';
import { clickHouseAccess } from '../../support/chdb-server/chdb-server.ts';
import { batch, openStore } from './clickhouse-store.ts';

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 5, 20, 12);
const MAY = Date.UTC(2026, 4, 15);
/** More rows than one that arrived lately lets the index stay for. */
const MANY = 1_500;
const PROJECT = 'prj_1';

describe('ids of events of past months in ClickHouse', () => {
  let access: Access;
  let clickHouse: ClickHouse;
  let store: ClickHouseStore;
  let pastIds: PastIds;

  beforeEach(async () => {
    access = await clickHouseAccess();
    clickHouse = new ClickHouse(access);
    store = openStore(access);
    const onTrouble = (error: unknown): never => {
      throw error;
    };
    pastIds = new PastIds({ clickHouse, turns: null, run: 'run', now: () => NOW, onTrouble });
  });
  afterEach(async () => {
    setThresholds('usual');
    await Promise.all([pastIds.close(), store.close(), clickHouse.close()]);
  });

  /** Events `first` to `last`, of times around `time`, that arrived at `at`. */
  const add = async (time: number, [first, last]: readonly [number, number], at: number): Promise<void> => {
    const events = Array.from({ length: last - first + 1 }, (_, n) => ({ event_type: 'a', device_id: 'd', time: time + first + n, insert_id: `id ${first + n}` })); // prettier-ignore
    expect(await store.append(batch(PROJECT, events, at))).to.include({ accepted: events.length });
  };
  const stored = async (): Promise<number> => (await store.extent(batch(PROJECT, []).project))?.rows ?? 0;
  /** Rows whose ids are indexed, by month. */
  const indexed = async (): Promise<unknown> => {
    const sql = `SELECT partition_id, sum(parent_rows) FROM system.projection_parts
      WHERE database = currentDatabase() AND name = 'ids' AND active GROUP BY partition_id ORDER BY partition_id`;
    return Object.fromEntries((await clickHouse.query({ sql })).rows as [string, number][]);
  };

  it('leave the index once nearly nothing of the month arrived lately; the rows stay', async () => {
    await add(MAY, [1, MANY], MAY + DAY);
    await add(MAY - 40 * DAY, [MANY + 1, MANY + 10], NOW - 8 * DAY + 60_000);
    await add(NOW - DAY, [2 * MANY, 2 * MANY], NOW - DAY);
    await pastIds.run();
    expect(await indexed()).to.deep.equal({ 202604: 10, 202606: 1 });
    expect(await stored()).to.equal(MANY + 11);
    await add(MAY, [3 * MANY, 3 * MANY], NOW);
    expect(await indexed(), 'what is written later').to.deep.equal({ 202604: 10, 202605: 1, 202606: 1 });
    await pastIds.run();
    expect(await indexed()).to.deep.equal({ 202604: 10, 202605: 1, 202606: 1 });
  });

  it('of imports are found by imports however long ago they arrived, with the index and without', async () => {
    const imported = (importId: string): object[] => [
      { event_type: 'a', time: MAY, insert_id: 'imported', import_id: importId },
      { event_type: 'a', time: MAY, insert_id: importId, import_id: importId },
    ];
    await store.append(batch(PROJECT, imported('one'), MAY + DAY));
    await add(MAY, [1, MANY], MAY + DAY);
    await store.append(batch(PROJECT, imported('one'), NOW));
    expect(await stored()).to.equal(MANY + 2);
    await pastIds.run();
    await store.append(batch(PROJECT, [...imported('two'), ...imported('two')], NOW));
    expect(await stored()).to.equal(MANY + 3);
    await store.append(batch(PROJECT, [{ event_type: 'a', time: MAY, insert_id: 'imported' }], NOW));
    expect(await stored()).to.equal(MANY + 4);
  });

  it('are in the index again neither after an erasure nor when parts are merged', async () => {
    for (const half of [0, 1]) await add(MAY, [half * MANY + 1, (half + 1) * MANY], MAY + DAY);
    await pastIds.run();
    await store.append({ ...batch(PROJECT, [{ event_type: 'b', user_id: 'ann', time: MAY }], MAY), kind: 'track' });
    await pastIds.run();
    expect(await store.eraseUser(batch(PROJECT, []).project, 'ann')).to.include({ events: 1 });
    await clickHouse.run({ sql: 'OPTIMIZE TABLE events FINAL' });
    expect(await indexed()).to.deep.equal({});
    expect(await stored()).to.equal(2 * MANY);
  });

  // At the least of the threshold, every month is without the index; at the most, each keeps it for its last rows of late.
  for (const end of ['usual', 'least', 'most'] satisfies End[]) {
    it(`are known for 7 days, whether or not their month has the index (threshold at ${end})`, async () => {
      setThresholds(end, ['pastIds.rowsPerRecent']);
      await add(MAY, [1, MANY], MAY + DAY);
      await add(MAY, [MANY + 1, MANY + 1], NOW - 7 * DAY + 60_000); // sent late
      await add(NOW - 7 * DAY, [2 * MANY, 2 * MANY], NOW - 7 * DAY + 60_000);
      await pastIds.run();
      const months = { usual: { 202606: 1 }, least: {}, most: { 202605: MANY + 1, 202606: 1 } };
      expect(await indexed()).to.deep.equal(months[end]);
      const before = await stored();
      await add(MAY, [MANY + 1, MANY + 1], NOW);
      await add(NOW - 7 * DAY, [2 * MANY, 2 * MANY], NOW);
      expect(await stored(), 'twice within 7 days').to.equal(before);
      await add(MAY, [1, 1], NOW);
      expect(await stored(), 'after 7 days').to.equal(before + 1);
    });
  }
});
