import { expect } from 'chai';
import { ClickHouse, type Access } from '../../../lib/clickhouse/client.ts';
import { migrate } from '../../../lib/clickhouse/migrate.ts';
import { SCHEMA_VERSION } from '../../../lib/clickhouse/schema.ts';
import type { ClickHouseStore } from '../../../lib/clickhouse/store.ts';
import type { UsageTotals } from '../../../../lib/store/event-store.ts';
import { clickHouseAccess } from '../../support/chdb-server/chdb-server.ts';
import { cuttingProxy } from '../../../../test/support/cutting-proxy.ts';
import { batch, openStore } from './clickhouse-store.ts';
import { DAY_MS, utcDay } from '../../../../lib/base/day.ts';

const EVENTS = [{ event_type: 'a', insert_id: '1' }, { event_type: 'a', insert_id: '1' }, { no: 'event' }];

describe('usage of events in ClickHouse', () => {
  let access: Access;
  let told: UsageTotals[];

  beforeEach(async () => {
    access = await clickHouseAccess();
    told = [];
  });

  const listen = (store: ClickHouseStore): ClickHouseStore => {
    store.onUsage((totals) => told.push(totals));
    return store;
  };
  const last = (): Partial<UsageTotals> => {
    const { eventsIngested, eventsStored, eventsRejected, eventsDuplicate } = told.at(-1) ?? {};
    return { eventsIngested, eventsStored, eventsRejected, eventsDuplicate } as Partial<UsageTotals>;
  };

  it('is the totals of the day, added up over stores', async () => {
    for (const events of [EVENTS, [{ event_type: 'b' }]]) {
      const one = listen(openStore(access));
      await one.append(batch('prj_usage', events));
      await one.close();
    }
    expect(last()).to.deep.equal({ eventsIngested: 3, eventsStored: 2, eventsRejected: 1, eventsDuplicate: 1 });
  });

  it('has the bytes that the project takes: its share of the table, however many projects there are', async () => {
    const store = listen(openStore(access));
    const events = Array.from({ length: 400 }, (_, n) => ({ event_type: 'a', insert_id: `${n}` }));
    await store.append(batch('prj_large', events));
    await store.append(batch('prj_small', events.slice(0, 100)));
    await store.close();
    const [large = 0, small = 0] = ['prj_large', 'prj_small'].map((id) => told.findLast(({ project }) => project === id)?.bytesStored); // prettier-ignore
    expect(small).to.be.above(100);
    expect(large / small).to.be.closeTo(4, 0.1);
    const clickHouse = new ClickHouse(access);
    const { rows } = await clickHouse.query({ sql: "SELECT total_bytes FROM system.tables WHERE database = currentDatabase() AND name = 'events'" }); // prettier-ignore
    await clickHouse.close();
    expect(large + small).to.be.closeTo(Number(rows[0]?.[0]), 2);
  });

  it('counts once what was stored although no answer came, and what came since', async () => {
    let lose = true;
    const proxy = await cuttingProxy(access.url, (statement) => lose && /INSERT INTO usage/.test(statement));
    let heard = (): void => undefined;
    const lost = new Promise<void>((resolve) => (heard = resolve));
    const store = listen(openStore({ ...access, url: proxy.url }, { onTrouble: () => heard() }));
    await store.append(batch('prj_lost', EVENTS));
    await lost;
    expect(proxy.cut).to.equal(1);
    lose = false;
    await store.append(batch('prj_lost', [{ event_type: 'b' }]));
    await store.close();
    expect(last()).to.deep.equal({ eventsIngested: 3, eventsStored: 2, eventsRejected: 1, eventsDuplicate: 1 });
    await proxy.stop();
  });

  it('goes on from what tables of version 1 counted, however often they are upgraded', async () => {
    const clickHouse = new ClickHouse(access);
    await clickHouse.run({
      sql: `CREATE TABLE usage (project String, date Date, ingested UInt64, stored UInt64, rejected UInt64, duplicate UInt64,
        dropped UInt64, trimmed UInt64, ids_ignored UInt64) ENGINE = SummingMergeTree ORDER BY (project, date)`,
    });
    const now = Date.now();
    for (const date of [utcDay(now), utcDay(now + DAY_MS)])
      // whenever midnight is
      for (let n = 0; n < 2; n++)
        await clickHouse.run({ sql: `INSERT INTO usage VALUES ('prj_old', '${date}', 4, 3, 2, 1, 0, 0, 0)` });
    for (let n = 0; n < 2; n++) {
      await clickHouse.run({ sql: 'TRUNCATE TABLE schema_versions' });
      await clickHouse.run({ sql: 'INSERT INTO schema_versions (version) VALUES (1)' });
      expect(await migrate(access)).to.include({ version: SCHEMA_VERSION });
    }
    const { rows } = await clickHouse.query({ sql: 'SELECT version FROM schema_versions ORDER BY version' });
    expect(rows.at(-1)).to.deep.equal([SCHEMA_VERSION]);
    await clickHouse.close();
    const store = listen(openStore(access));
    await store.append(batch('prj_old', EVENTS));
    await store.close();
    expect(last()).to.deep.equal({ eventsIngested: 10, eventsStored: 7, eventsRejected: 5, eventsDuplicate: 3 });
  });
});
