import { expect } from 'chai';
import fc from 'fast-check';
import type { World } from '../../../../test/oracle/world.ts';
import { printDifference } from '../../../../test/properties/counterexample.ts';
import { query, timelineQuery } from '../../../../test/properties/queries.ts';
import { sameAnswer } from '../../../../test/properties/same-answer.ts';
import { runs, replay } from '../../../../test/properties/settings.ts';
import { NOW, world } from '../../../../test/properties/worlds.ts';
import { clickHouseOpener } from '../../support/clickhouse-opener.ts';
import { compile } from '../../../../test/support/compile.ts';
import { PLAIN, StoreSubject } from '../../../../test/support/store-subject.ts';
import { oracleSubject } from '../../../../test/support/subject.ts';

/** Queries per world. */
const QUERIES = 10;

describe('ClickHouse', () => {
  const oracle = oracleSubject();
  let subject: StoreSubject;
  before(() => {
    subject = new StoreSubject(PLAIN, clickHouseOpener());
  });
  after(() => subject.close());

  const asked = fc.oneof({ weight: 3, arbitrary: query }, { weight: 1, arbitrary: timelineQuery });
  const queries = fc.noBias(fc.array(asked, { minLength: 1, maxLength: QUERIES, size: 'max' }));

  async function expectSame(requests: World, texts: readonly string[]): Promise<void> {
    await Promise.all([oracle.load(requests), subject.load(requests)]);
    for (const text of texts) {
      const plans = compile(text, { now: NOW, timezone: null, limit: 100, offset: 0 }, requests);
      const [expected, actual] = [await oracle.query(plans), await subject.query(plans)];
      const difference = { world: requests, query: text, zone: plans.bound.zone, expected, actual };
      if (!sameAnswer(expected, actual)) expect.fail(printDifference(difference));
    }
  }

  it('answers random queries as the oracle does', async function () {
    this.timeout(24 * 3600_000);
    await fc.assert(fc.asyncProperty(world, queries, expectSame), { numRuns: runs(8), ...replay() });
  });
});
