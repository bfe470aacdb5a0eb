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
    expect(await columnsOf(client)).to.deep.equal(await columnsOfNew());
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
});

const TO_VERSION_2 = [
  'ALTER TABLE events DROP PROJECTION types',
  `ALTER TABLE events ${(EVENTS.made ?? []).map(([name]) => `DROP COLUMN ${name}`).join(', ')}`,
  `ALTER TABLE events ${(EVENTS.sent ?? []).map(([name]) => `DROP COLUMN ${name}`).join(', ')}`,
  'DROP TABLE hot_keys',
  'ALTER TABLE events MODIFY COLUMN project String CODEC(ZSTD(1))',
  `ALTER TABLE events ADD PROJECTION ${PROJECTION_OF_TYPES}`,
  'TRUNCATE TABLE schema_versions',
  'INSERT INTO schema_versions (version) VALUES (2)',
  `INSERT INTO events (project, arrival, received, time, event_type, user_id, device_id)
   VALUES ('prj_1', 1, 1, 1, 'e', 'ann', 'd1'), ('prj_1', 2, 1, 1, 'e', '', 'd1'), ('prj_1', 3, 1, 1, 'e', '', '')`,
];

async function columnsOf(client: ClickHouse): Promise<readonly unknown[]> {
  const sql = `SELECT table, name, type, default_kind, default_expression, compression_codec FROM system.columns
    WHERE database = currentDatabase() ORDER BY table, name`;
  return (await client.query({ sql })).rows;
}

async function columnsOfNew(): Promise<readonly unknown[]> {
  const client = new ClickHouse(await clickHouseAccess());
  try {
    return await columnsOf(client);
  } finally {
    await client.close();
  }
}
