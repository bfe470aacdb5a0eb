import { expect } from 'chai';
import { monotonic } from '../../../lib/base/monotonic.ts';
import { ClickHouse } from '../../../lib/clickhouse/client.ts';
import { runPlan, type QueryBounds } from '../../../lib/clickhouse/query.ts';
import type { AppError } from '../../../lib/base/errors.ts';
import { compileQuery } from '../../../lib/dsl/compile.ts';
import type { QueryResult } from '../../../lib/workers/query-result.ts';
import { clickHouseAccess } from '../../support/chdb-server/chdb-server.ts';

describe('a query on ClickHouse', function () {
  this.timeout(60_000);
  const PROJECT = 'prj_1';
  const DAY = 86_400_000;
  let client: ClickHouse;

  before(async () => {
    client = new ClickHouse(await clickHouseAccess());
    const events = "SELECT {project:String}, number, number * 60000, number * 60000, 'e', toString(number), map('n', toString(number)) FROM numbers(200000)"; // prettier-ignore
    const sql = `INSERT INTO events (project, arrival, received, time, event_type, user_id, event_text) ${events}`;
    await client.run({ sql, params: { project: PROJECT } });
  });
  after(() => client.close());

  const ask = (
    q: string,
    bounds: Partial<QueryBounds & { signal: AbortSignal; deadline: number }> = {},
  ): Promise<QueryResult> => {
    const context = { now: 200 * DAY, timezone: { project: 'UTC' }, limit: 3, offset: 0, earliest: 0 };
    const { plan } = compileQuery(`${q} | all`, context);
    return runPlan(client, PROJECT, plan, {
      deadline: monotonic() + 30_000,
      memory: 2 ** 30,
      groups: 1_000_000,
      ...bounds,
    });
  };

  const refusal = (asked: Promise<unknown>): Promise<string> =>
    asked.then(
      () => expect.fail('answered'),
      (error: AppError) => error.data.code,
    );

  it('tells its statements with the values bound in them, and what ClickHouse did', async () => {
    const { statements = [], table, observations } = await ask('e | where event_properties.n = "12" | count');
    expect(table.rows).to.deep.equal([[1]]);
    expect(observations).to.deep.include({ unseenEvents: [], unseenFields: [], rowsScanned: 200_000 });
    const main = statements.find(({ sql }) => sql.startsWith('SELECT count() FROM (SELECT *'));
    expect(Object.values(main?.params ?? {})).to.include.members(['12', 'n', PROJECT]);
    expect(main?.rows_read).to.be.within(1, 200_000);
    for (const { ms } of statements) expect(ms).to.be.greaterThan(0);
  });

  it('has no more groups than it may, nor more memory', async () => {
    expect(await refusal(ask('* | count by user_id', { groups: 1_000 }))).to.equal('bad_query');
    expect(await refusal(ask('* | unique user_id, mode event_properties.n', { memory: 2 ** 20 }))).to.equal(
      'query_too_large',
    );
  });

  it('ends at its deadline, and when nobody waits any longer', async () => {
    expect(await refusal(ask('* | count', { deadline: monotonic() }))).to.equal('query_timeout');
    const left = new AbortController();
    const asked = refusal(ask('* | mode event_properties.n by user_id', { signal: left.signal }));
    left.abort();
    expect(await asked).to.equal('overloaded');
  });
});
