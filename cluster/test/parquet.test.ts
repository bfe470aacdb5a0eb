import { expect } from 'chai';
import fs from 'node:fs';
import { join } from 'node:path';
import { openDuckDb } from '../../bench/peers/duckdb.ts';
import { ParquetFile } from '../../lib/cli/export/parquet-file.ts';
import { clientOf } from '../../test/cli/client-service.ts';
import { fill } from '../../test/support/exports.ts';
import { sharedService } from '../../test/support/shared-service.ts';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';

// Here, as these tests have DuckDB: it is installed with the engine of ClickHouse.
describe('a Parquet file of `wl export` in DuckDB', () => {
  const folder = temporaryFolder();
  let duck: Awaited<ReturnType<typeof openDuckDb>>;
  before(async () => {
    duck = await openDuckDb(folder, 1);
  });
  after(() => duck.close());

  it('has the events of a project: times, texts and objects', async () => {
    const test = clientOf(await sharedService());
    await fill(test);
    const path = join(folder, 'events.parquet');
    const { code, stderr } = await test.wl(['export', '--format', 'parquet', '--output', path]);
    expect(code, stderr).to.equal(0);
    const rows = await duck.ask(`SELECT epoch_ms("time"), event_type, distinct_id, user_id, _country,
      event_properties->>'$.price', event_properties->>'$.deep.x[1].y', event_properties->>'$.text', user_properties->>'$.plan'
      FROM '${path}' ORDER BY "time", insert_id`); // prettier-ignore
    const base = Date.UTC(2026, 0, 10);
    expect(rows).to.deep.equal([
      [base + 10, 'view', 'ann', null, null, null, null, null, null],
      [base + 10, 'view', 'd2', null, null, null, null, null, null],
      [base + 20, 'buy', 'bob', 'bob', 'NO', '12', 'z', null, null],
      [base + 30, 'signup', 'ann', 'ann', null, null, null, null, 'free'],
      [base + 40, 'buy', 'bob', 'bob', null, '12.50', null, 'ä\n"\u2028', null],
      [base + 50, 'beat', null, null, null, null, null, null, null],
    ]);
    expect(await duck.ask(`SELECT count(*), count(user_id) FROM '${path}' WHERE "time" >= TIMESTAMP '2026-01-10 00:00:00.030'`)).to.deep.equal([[3, 2]]); // prettier-ignore
  });

  it('has every page as a row group', async () => {
    const columns = [
      { name: 'time', type: 'time' },
      { name: 'event_type', type: 'string' },
      { name: 'event_properties', type: 'json' },
    ];
    const file = new ParquetFile();
    const path = join(folder, 'pages.parquet');
    const page = (from: number, rows: number): Buffer => {
      const lines = Array.from({ length: rows }, (_, at) => {
        const n = from + at;
        const row = { time: new Date(n * 1_000).toISOString(), event_type: `e${n % 7}`, event_properties: { n } };
        return JSON.stringify(n % 3 === 0 ? { time: row.time } : row);
      });
      return file.add({ columns, body: Buffer.from(`${lines.join('\n')}\n`) });
    };
    fs.writeFileSync(
      path,
      Buffer.concat([page(0, 5_000), page(5_000, 1), page(5_001, 0), page(5_001, 4_999), file.end()]),
    );
    expect(await duck.ask(`SELECT count(*), count(event_type), sum(CAST(event_properties->>'$.n' AS BIGINT)), max(epoch_ms("time")) FROM '${path}'`)).to.deep.equal([[10_000, 6_666, 33_326_667, 9_999_000]]); // prettier-ignore
    expect(await duck.ask(`SELECT count(DISTINCT row_group_id) FROM parquet_metadata('${path}')`)).to.deep.equal([[3]]);
  });
});
