import { expect } from 'chai';
import { ClickHouse, type Access } from '../../../lib/clickhouse/client.ts';
import type { ClickHouseStore } from '../../../lib/clickhouse/store.ts';
import { compileQuery } from '../../../../lib/dsl/compile.ts';
import { monotonic } from '../../../../lib/base/monotonic.ts';
import { clickHouseAccess } from '../../support/chdb-server/chdb-server.ts';
import { batch, openStore } from './clickhouse-store.ts';

describe('properties with columns of their own', () => {
  let access: Access;
  let client: ClickHouse;
  let store: ClickHouseStore;

  before(async () => {
    access = await clickHouseAccess();
    client = new ClickHouse(access);
    store = openStore(access);
  });
  after(async () => {
    await store.close();
    await client.close();
  });

  const send = (project: string, values: readonly unknown[]): Promise<unknown> =>
    store.append(batch(project, values.map((a) => ({ event_type: 'e', device_id: 'd', event_properties: { a } })))); // prettier-ignore

  /** The rows, and whether the column was read. */
  async function ask(project: string, q: string): Promise<{ rows: unknown; columns: readonly string[] }> {
    const context = { now: Date.now() + 1_000, timezone: { project: 'UTC' }, limit: 100, offset: 0, earliest: 0 };
    const { plan } = compileQuery(q, context);
    const ref = { id: project, orgId: 'org_test', weight: 1, retentionDays: null, ipPolicy: 'anonymized' } as const;
    const { table, statements = [] } = await store.query(ref, plan, { deadline: monotonic() + 300_000 });
    const read = statements.flatMap(({ sql }) => sql.match(/\bhot_(?:text|number)_\d+|event_text/g) ?? []);
    return { rows: table.rows, columns: [...new Set(read)].sort() };
  }

  const BY_A = 'e | count by event_properties.a';

  it('answer from the columns as soon as there is a value, of each kind', async () => {
    await send('prj_kinds', ['x', 'x', '']);
    expect(await ask('prj_kinds', BY_A)).to.deep.equal({ rows: [['x', 2], ['', 1]], columns: ['hot_text_0'] }); // prettier-ignore
    await send('prj_kinds', [12.5, '012', true, null]);
    const { rows, columns } = await ask('prj_kinds', `${BY_A} | all`);
    expect(columns).to.deep.equal(['hot_number_0', 'hot_text_0']);
    expect(rows).to.have.deep.members([['x', 2], ['', 1], ['12.5', 1], ['012', 1], ['true', 1], [null, 1]]); // prettier-ignore
    expect((await ask('prj_kinds', 'e | sum event_properties.a')).rows).to.deep.equal([[24.5]]);
    expect((await ask('prj_kinds', 'e | where event_properties.a != "x" | count')).rows).to.deep.equal([[5]]);
  });

  it('are left in maps where a value is none for a column', async () => {
    await send('prj_object', [{ b: 1 }]);
    await send('prj_object', ['x']);
    expect(await ask('prj_object', BY_A)).to.deep.equal({ rows: [['x', 1], ['{"b":1}', 1]], columns: ['event_text'] }); // prettier-ignore
  });

  it('are left in maps where the project has events that came without', async () => {
    const sql = `INSERT INTO events (project, arrival, received, time, event_type, event_text) VALUES ('prj_before', 1, 1, ${Date.now()}, 'e', map('a', 'x'))`;
    await client.run({ sql });
    await send('prj_before', ['x']);
    expect(await ask('prj_before', BY_A)).to.deep.equal({ rows: [['x', 2]], columns: ['event_text'] });
  });

  it('have the columns that another store gave them', async () => {
    await send('prj_two', ['x']);
    const other = openStore(access);
    try {
      await other.append(batch('prj_two', [{ event_type: 'e', event_properties: { b: 'y', a: 'x' } }]));
    } finally {
      await other.close();
    }
    const { rows } = await client.query({
      sql: "SELECT key, slot FROM hot_keys WHERE project = 'prj_two' ORDER BY slot",
    });
    expect(rows).to.deep.equal([['a', 0], ['b', 1]]); // prettier-ignore
    expect((await ask('prj_two', BY_A)).rows).to.deep.equal([['x', 2]]);
  });

  it('are forgotten with the project', async () => {
    await send('prj_gone', ['x']);
    await store.drop('prj_gone');
    expect((await client.query({ sql: "SELECT count() FROM hot_keys WHERE project = 'prj_gone'" })).rows).to.deep.equal([[0]]); // prettier-ignore
  });
});
