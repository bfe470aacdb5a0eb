import { expect } from 'chai';
import { monotonic } from '../../../../lib/base/monotonic.ts';
import { ClickHouse } from '../../../lib/clickhouse/client.ts';
import { NO_SLOTS } from '../../../lib/clickhouse/hot/slots.ts';
import { runPlan } from '../../../lib/clickhouse/query.ts';
import { compileQuery } from '../../../../lib/dsl/compile.ts';
import { clickHouseAccess } from '../../support/chdb-server/chdb-server.ts';

const DAY = 86_400_000;
const times = (count: number, of: (n: number) => string, between = ' '): string =>
  Array.from({ length: count }, (_, n) => of(n)).join(between);

/** At the limits of the language: docs/limits.md. */
const QUERIES: Readonly<Record<string, string>> = {
  'a funnel of 64 steps': `funnel ${times(64, (n) => `e${n % 7}`, ' -> ')}`,
  'a funnel of 64 filtered steps by fields': `funnel ${times(64, (n) => `*[event_properties.p${n} > ${n}]`, ' -> ')} | by event_properties.g, day`,
  '300 filters joined with or': `e | where ${times(300, (n) => `event_properties.k${n} = "${n}"`, ' or ')} | count`,
  'a condition of 30 levels': `e | where ${times(30, () => 'not (event_properties.a = 1 or', ' ')} event_properties.b = 2 ${')'.repeat(30)} | count`,
  '3,000 values in a list': `e | where event_properties.a in (${times(3000, (n) => String(n), ',')}) | count`,
  'a property 4,000 levels down': `e | where event_properties.${times(4000, () => 'a', '.')} = 1 | count by event_properties.${times(3000, () => 'b', '.')}`,
  '100 properties 40 levels down': `e | where ${times(100, (n) => `event_properties.p${n}.${times(36, () => 'a', '.')} = ${n}`, ' or ')} | count`,
  'a profile 4,000 levels down': `users | where user.${times(4000, () => 'a', '.')} = 1 | count`,
  '100 metrics': `e | ${times(100, (n) => `sum event_properties.n${n}`, ', ')}`,
  '30 groups': `e | count by ${times(30, (n) => `event_properties.g${n}`, ', ')}`,
  '120 operands': `formula ${times(120, (n) => `p95(e${n}, event_properties.n${n})`, ' + ')} | by day`,
  'everything of sessions': `* | where ${times(200, (n) => `session.utm_source = "${n}" or user_last_session.landing_path = "${n}"`, ' or ')} | count by session.language`,
};

describe('a question at the limits of the language, on ClickHouse', () => {
  let client: ClickHouse;
  before(async () => (client = new ClickHouse(await clickHouseAccess())));
  after(() => client.close());

  for (const [name, q] of Object.entries(QUERIES)) {
    it(`is answered: ${name}`, async () => {
      const context = { now: 200 * DAY, timezone: { project: 'Europe/Berlin' }, limit: 3, offset: 0, earliest: 0 };
      const { plan } = compileQuery(q, context);
      const bounds = { deadline: monotonic() + 300_000, memory: 2 ** 30, groups: 1_000_000 };
      const { statements = [] } = await runPlan(client, { id: 'prj_1', slots: NO_SLOTS }, plan, bounds);
      for (const { sql } of statements) expect(sql.length).to.be.below(500_000);
    });
  }
});
