import { expect } from 'chai';
import { monotonic } from '../../../../lib/base/monotonic.ts';
import type { BotPolicy } from '../../../../lib/base/project.ts';
import { ClickHouse, type Access } from '../../../lib/clickhouse/client.ts';
import { runPlan, type QueryBounds } from '../../../lib/clickhouse/query.ts';
import type { AppError } from '../../../../lib/base/errors.ts';
import { NO_SLOTS } from '../../../lib/clickhouse/hot/slots.ts';
import { compileQuery } from '../../../../lib/dsl/compile.ts';
import type { Plan } from '../../../../lib/dsl/plan/plan.ts';
import type { QueryOptions, QueryResult } from '../../../../lib/workers/query-result.ts';
import { clickHouseAccess } from '../../support/chdb-server/chdb-server.ts';
import { batch, openStore } from './clickhouse-store.ts';

describe('a query on ClickHouse', () => {
  const PROJECT = 'prj_1';
  const DAY = 86_400_000;
  /** Of one person with many events: seconds. */
  const SLOW = `funnel ${Array.from({ length: 12 }, () => 'e').join(' -> ')} | window 30 d`;
  let access: Access;
  let client: ClickHouse;

  before(async () => {
    access = await clickHouseAccess();
    client = new ClickHouse(access);
    const events = "SELECT {project:String}, number, number * 60000, number * 60000, 'e', toString(number), map('n', toString(number)) FROM numbers(200000)"; // prettier-ignore
    const sql = `INSERT INTO events (project, arrival, received, time, event_type, user_id, event_text) ${events}`;
    await client.run({ sql, params: { project: PROJECT } });
  });
  after(() => client.close());

  const planOf = (q: string, bots: BotPolicy = 'keep'): Plan => {
    const context = { now: 400 * DAY, timezone: { project: 'UTC' }, limit: 3, offset: 0, earliest: 0, bots };
    return compileQuery(`${q} | all`, context).plan;
  };
  const ask = (
    q: string,
    { bots, ...bounds }: Partial<QueryBounds & { signal: AbortSignal; deadline: number; bots: BotPolicy }> = {},
    id = PROJECT,
  ): Promise<QueryResult> => {
    return runPlan(client, { id, slots: NO_SLOTS }, planOf(q, bots), {
      deadline: monotonic() + 300_000,
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

  it('sums, averages and spreads in one statement, to 15 digits', async () => {
    const values = [0.1, 0.2, 0.3].map((n, nth) => `({project:String}, ${nth + 1}, 1, 1, 'n', map('x', '${n}'), map('x', ${n}::Float64))`); // prettier-ignore
    const sql = `INSERT INTO events (project, arrival, received, time, event_type, event_text, event_number) VALUES ${values.join(', ')}`; // prettier-ignore
    await client.run({ sql, params: { project: 'prj_sums' } });
    const metrics = ['sum', 'avg', 'stddev', 'median', 'p90'].map((name) => `${name} event_properties.x`).join(', ');
    const { table, statements = [] } = await ask(`n | ${metrics}`, {}, 'prj_sums');
    expect(table.rows).to.deep.equal([[0.6, 0.2, 0.1, 0.2, 0.28]]);
    expect(statements.length, 'one for the answer, two for the notes').to.equal(3);
  });

  it('tells its statements with the values bound in them, and what ClickHouse did', async () => {
    const { statements = [], table, observations } = await ask('e | where event_properties.n = "12" | count');
    expect(table.rows).to.deep.equal([[1]]);
    expect(observations).to.deep.include({ unseenEvents: [], unseenFields: [], rowsScanned: 200_000 });
    const main = statements.find(({ sql }) => sql.startsWith('SELECT count() FROM (SELECT *'));
    expect(Object.values(main?.params ?? {})).to.include.members(['12', 'n', PROJECT]);
    expect(main?.rows_read).to.be.within(1, 200_000);
    for (const { ms } of statements) expect(ms).to.be.greaterThan(0);
  });

  it('leaves bots out where the project wants it, and counts them', async () => {
    const rows = ['bot', 'bot', 'mobile', ''].map(
      (type, nth) => `({project:String}, ${nth + 1}, 1, 1, 'v', '${type}')`,
    );
    const sql = `INSERT INTO events (project, arrival, received, time, event_type, _device_type) VALUES ${rows.join(', ')}`;
    await client.run({ sql, params: { project: 'prj_bots' } });
    const { table, observations } = await ask('v | count', { bots: 'leave out' }, 'prj_bots');
    expect([table.rows, observations.bots]).to.deep.equal([[[2]], 2]);
    const kept = await ask('v | count', { bots: 'keep' }, 'prj_bots');
    expect([kept.table.rows, kept.observations.bots]).to.deep.equal([[[4]], undefined]);
  });

  it('has no more groups than it may, nor more memory', async () => {
    expect(await refusal(ask('* | count by user_id', { groups: 1_000 }))).to.equal('bad_query');
    expect(await refusal(ask('* | unique user_id, mode event_properties.n', { memory: 2 ** 20 }))).to.equal(
      'query_too_large',
    );
  });

  it('is ended in ClickHouse while it runs: at its deadline, when nobody waits any longer, when its project is erased', async () => {
    const events = "SELECT {project:String}, number, number * 60000, number * 60000, 'e', 'ann' FROM numbers(400000)";
    const sql = `INSERT INTO events (project, arrival, received, time, event_type, user_id) ${events}`;
    const store = openStore(access);
    const ref = batch('prj_slow', []).project;
    await client.run({ sql, params: { project: ref.id } });
    const slow = (given: Partial<QueryOptions>): Promise<string> =>
      refusal(store.query(ref, planOf(SLOW), { deadline: monotonic() + 60_000, ...given }));

    expect(await slow({ deadline: monotonic() + 500 })).to.equal('query_timeout');
    await untilRunning(false);
    const left = new AbortController();
    const asked = slow({ signal: left.signal });
    await untilRunning(true);
    left.abort();
    expect(await asked).to.equal('overloaded');
    await untilRunning(false);
    const erased = slow({});
    await untilRunning(true);
    await store.drop(ref.id);
    expect(await erased).to.equal('overloaded');
    await untilRunning(false);
    await store.close();
  });

  /** Until a query of that project runs, or none does. */
  async function untilRunning(wanted: boolean): Promise<void> {
    const sql = "SELECT count() FROM system.processes WHERE query LIKE '%arrayReverseFill%' AND query NOT LIKE '%system.processes%'"; // prettier-ignore
    for (;;) {
      const { rows } = await client.query({ sql });
      if ((rows[0]?.[0] !== 0) === wanted) return;
    }
  }

  it('ends at its deadline, and when nobody waits any longer', async () => {
    expect(await refusal(ask('* | count', { deadline: monotonic() }))).to.equal('query_timeout');
    const left = new AbortController();
    const asked = refusal(ask('* | mode event_properties.n by user_id', { signal: left.signal }));
    left.abort();
    expect(await asked).to.equal('overloaded');
  });
});
