import { expect } from 'chai';
import { ClickHouse, type Access } from '../../../lib/clickhouse/client.ts';
import { migrate, statementsFrom } from '../../../lib/clickhouse/migrate.ts';
import { EVENTS, PROJECTION_OF_TYPES, SCHEMA_VERSION } from '../../../lib/clickhouse/schema.ts';
import { clickHouseAccess } from '../../support/chdb-server/chdb-server.ts';

describe('tables of an earlier version', () => {
  let old: Access;
  let client: ClickHouse;

  before(async () => {
    old = await clickHouseAccess();
    client = new ClickHouse(old);
    for (const sql of TO_VERSION_2) await client.run({ sql });
  });
  after(() => client.close());

  it('become those of a new database, and keep their rows', async () => {
    for (const sql of statementsFrom(2, old)) await client.run({ sql });
    const { version } = await migrate(old); // again, as after a statement that failed
    expect(version).to.equal(SCHEMA_VERSION);
    expect(await tablesOf(client)).to.deep.equal(await tablesOfNew());
    const { rows } = await client.query({
      sql: "SELECT project, anonymous, sender = sipHash64('ann'), sender = sipHash64('d1'), sender FROM events ORDER BY arrival",
    });
    expect(rows.map((row) => row.slice(0, 4))).to.deep.equal([
      ['prj_1', 0, 1, 0],
      ['prj_1', 1, 0, 1],
      ['prj_1', 1, 0, 0],
    ]);
    expect(rows[2]?.[4], 'nobody').to.equal(0);
  });

  it('get an index of arrivals, also for the rows that were there', async () => {
    const of = await clickHouseAccess();
    const own = new ClickHouse(of);
    await own.run({ sql: 'ALTER TABLE events DROP INDEX received_range' });
    await own.run({ sql: "INSERT INTO events (project, received, time) VALUES ('prj_1', 1, 1)" });
    for (const sql of statementsFrom(4, of)) await own.run({ sql }, { settings: { mutations_sync: '1' } });
    const sql = "SELECT secondary_indices_compressed_bytes > 0 FROM system.parts WHERE database = currentDatabase() AND table = 'events' AND active"; // prettier-ignore
    expect((await own.query({ sql })).rows).to.deep.equal([[1]]);
    await own.close();
  });

  it('of a cluster change on each server', () => {
    const [add, materialize] = statementsFrom(4, { database: 'd', cluster: 'main' });
    expect(add).to.match(/^ALTER TABLE `d`\.events_local ON CLUSTER `main` ADD INDEX IF NOT EXISTS received_range /);
    expect(materialize).to.equal('ALTER TABLE `d`.events_local ON CLUSTER `main` MATERIALIZE INDEX received_range');
  });
});

const TO_VERSION_2 = [
  'ALTER TABLE events DROP PROJECTION types',
  `ALTER TABLE events ${(EVENTS.made ?? []).map(([name]) => `DROP COLUMN ${name}`).join(', ')}`,
  `ALTER TABLE events ${(EVENTS.sent ?? []).map(([name]) => `DROP COLUMN ${name}`).join(', ')}`,
  'DROP TABLE hot_keys',
  'ALTER TABLE events DROP INDEX imports',
  'ALTER TABLE events DROP COLUMN _import_id',
  'ALTER TABLE events DROP INDEX received_range',
  'ALTER TABLE events MODIFY COLUMN project String CODEC(ZSTD(1))',
  `ALTER TABLE events ADD PROJECTION ${PROJECTION_OF_TYPES}`,
  'TRUNCATE TABLE schema_versions',
  'INSERT INTO schema_versions (version) VALUES (2)',
  `INSERT INTO events (project, arrival, received, time, event_type, user_id, device_id)
   VALUES ('prj_1', 1, 1, 1, 'e', 'ann', 'd1'), ('prj_1', 2, 1, 1, 'e', '', 'd1'), ('prj_1', 3, 1, 1, 'e', '', '')`,
];

/** Columns and indexes. */
async function tablesOf(client: ClickHouse): Promise<readonly unknown[]> {
  const columns = `SELECT table, name, type, default_kind, default_expression, compression_codec FROM system.columns
    WHERE database = currentDatabase() ORDER BY table, name`;
  const indexes = `SELECT table, name, type, expr, granularity FROM system.data_skipping_indices
    WHERE database = currentDatabase() ORDER BY table, name`;
  return [(await client.query({ sql: columns })).rows, (await client.query({ sql: indexes })).rows];
}

async function tablesOfNew(): Promise<readonly unknown[]> {
  const client = new ClickHouse(await clickHouseAccess());
  try {
    return await tablesOf(client);
  } finally {
    await client.close();
  }
}
