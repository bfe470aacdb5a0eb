import { expect } from 'chai';
import { AppError, type ErrorCode } from '../../../../lib/base/errors.ts';
import { ClickHouse } from '../../../lib/clickhouse/client.ts';
import { EVENTS, SCHEMA_VERSION } from '../../../lib/clickhouse/schema.ts';
import { clickHouseAccess } from '../../support/chdb-server/chdb-server.ts';

/** Longer than any test of a statement that is stopped, milliseconds. */
const LONG = 20_000;
const SLOW = 'SELECT count() FROM numbers(1000000000000) WHERE sipHash64(number) = 1';

describe('the client of ClickHouse', () => {
  let clickHouse: ClickHouse;

  before(async () => {
    clickHouse = new ClickHouse(await clickHouseAccess());
  });

  after(async () => {
    await clickHouse.close();
  });

  it('finds the version of the tables that the statements made', async () => {
    const { rows } = await clickHouse.query({ sql: 'SELECT max(version) FROM schema_versions' });
    expect(rows).to.deep.equal([[SCHEMA_VERSION]]);
  });

  it('reads rows as they were inserted: hostile texts, missing ones, numbers to the last bit', async () => {
    const hostile = "a'b\\c\t\n\r{p:String} 😀 \u0001`";
    const numbers = [0.1, 1 / 3, 5e-324, 1.7976931348623157e308, -123456789.12345679, 2 ** 53];
    const given: Record<string, unknown> = {
      ...{ project: 'prj_1', arrival: 2 ** 52, received: 1, time: -62_167_219_200_000, event_type: hostile },
      event_text: { [hostile]: hostile },
      event_number: Object.fromEntries(numbers.map((number, i) => [`n${i}`, number])),
      event_types: { 'a.b': 'object' },
      _url: '',
      _title: null,
    };
    const row = EVENTS.columns.map(([name, type]) => given[name] ?? (type.startsWith('Map') ? {} : type.startsWith('Nullable') ? null : '')); // prettier-ignore
    await clickHouse.insert(EVENTS, Buffer.from(`${JSON.stringify([...row, [], [], 0])}\n`));
    const { rows } = await clickHouse.query({
      sql: `SELECT arrival, time, event_type, event_text, event_number, event_types, _url, _title FROM events
            WHERE project = {project:String} AND event_text[{key:String}] = {key:String} AND has({list:Array(String)}, event_type)`,
      params: { project: 'prj_1', key: hostile, list: [hostile] },
    });
    const { arrival, time, event_type, event_text, event_number, event_types } = given;
    expect(rows).to.deep.equal([[arrival, time, event_type, event_text, event_number, event_types, '', null]]);
  });

  it('takes bound values that are too long for an address', async () => {
    const list = Array.from({ length: 20_000 }, (_, i) => `id-${i}'\\`);
    const { rows } = await clickHouse.query({ sql: 'SELECT length({list:Array(String)}), {list:Array(String)}[1]', params: { list } }); // prettier-ignore
    expect(rows).to.deep.equal([[20_000, list[0]]]);
  });

  it('answers nothing of another statement’s values', async () => {
    const ask = async (p: string): Promise<unknown> =>
      (await clickHouse.query({ sql: 'SELECT {p:String}, sleep(0.01)', params: { p } })).rows[0]?.[0];
    const texts = Array.from({ length: 20 }, (_, i) => String(i));
    expect(await Promise.all(texts.map(ask))).to.deep.equal(texts);
  });

  it('says what to do about a statement that is too large, and one that is too slow', async () => {
    const large = 'SELECT length(groupArray(number)) FROM numbers(100000000)';
    await refused(clickHouse.query({ sql: large }, { memory: 20e6 }), 'query_too_large');
    await refused(clickHouse.query({ sql: SLOW }, { time: 300 }), 'query_timeout');
  });

  it('kills a statement by its id, and one whose caller has left', async () => {
    const killed = refused(clickHouse.query({ sql: SLOW }, { queryId: 'to-be-killed', time: LONG }), 'overloaded');
    await untilRunning(true);
    await clickHouse.kill('to-be-killed');
    await killed;
    const caller = new AbortController();
    const left = clickHouse
      .query({ sql: SLOW }, { signal: caller.signal, time: LONG })
      .catch((error: unknown) => error);
    await untilRunning(true);
    caller.abort(new Error('the caller left'));
    expect(await left).to.equal(caller.signal.reason);
    await untilRunning(false);
  });

  it('tells a bug without the texts of tenants', async () => {
    const error = await clickHouse.query({ sql: "SELECT 'secret' + nothing" }).catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(Error).and.not.instanceOf(AppError);
    expect(String(error)).to.include('UNKNOWN_IDENTIFIER').and.not.include('secret');
  });

  it('says that the store cannot be reached where nobody answers', async () => {
    const nobody = new ClickHouse({
      url: 'http://127.0.0.1:1',
      user: 'default',
      password: '',
      database: 'default',
      cluster: null,
    });
    await refused(nobody.query({ sql: 'SELECT 1' }), 'storage_unavailable');
    await nobody.close();
  });

  async function untilRunning(wanted: boolean): Promise<void> {
    const sql = "SELECT count() FROM system.processes WHERE query LIKE '%sipHash64(number) = 1%' AND query NOT LIKE '%system.processes%'"; // prettier-ignore
    for (;;) {
      const { rows } = await clickHouse.query({ sql });
      if ((rows[0]?.[0] !== 0) === wanted) return;
    }
  }
});

async function refused(asked: Promise<unknown>, code: ErrorCode): Promise<void> {
  const error = await asked.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).to.be.instanceOf(AppError);
  expect((error as AppError).data.code).to.equal(code);
}
