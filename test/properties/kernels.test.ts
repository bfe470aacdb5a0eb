import { expect } from 'chai';
import fc from 'fast-check';
import { compile } from '../support/compile.ts';
import { isNotYet, SESSION_FIELDS_ARE_LISTED } from '../support/not-yet.ts';
import { PartsSubject } from '../support/parts-subject.ts';
import type { Turn } from '../support/shard-play.ts';
import { oracleSubject } from '../support/subject.ts';
import { printDifference } from './counterexample.ts';
import { query } from './queries.ts';
import { sameAnswer } from './same-answer.ts';
import { runs, seed } from './settings.ts';
import { NOW, world } from './worlds.ts';

/** Queries asked of each world: loading one costs more than answering. */
const QUERIES = 12;

const turn = fc.constantFrom<Turn>('nothing', 'nothing', 'seal', 'seal', 'restart', 'merge');
const cutting = fc.record({
  turns: fc.array(turn, { maxLength: 9, size: 'max' }),
  sealRows: fc.constantFrom(1, 3, 1_000),
  segmentRows: fc.constantFrom(4, 1_000),
});

describe('kernels', () => {
  const oracle = oracleSubject({ listsSessions: SESSION_FIELDS_ARE_LISTED });
  let subject: PartsSubject;
  before(() => {
    subject = new PartsSubject();
  });
  after(() => subject.close());

  it('answer random queries as the oracle does, however segments are cut and split among parts', async function () {
    this.timeout(24 * 3600_000);
    const asked = fc.tuple(
      query,
      fc.integer({ min: 1, max: 3 }),
      fc.constantFrom(100, 100, 2),
      fc.constantFrom(0, 0, 1),
    );
    const queries = fc.noBias(fc.array(asked, { minLength: 1, maxLength: QUERIES, size: 'max' }));
    await fc.assert(
      fc.asyncProperty(world, cutting, queries, async (requests, cut, all) => {
        subject.cutting = { ...cut, turns: cut.turns.values() };
        await Promise.all([oracle.load(requests), subject.load(requests)]);
        for (const [text, parts, limit, offset] of all) {
          const plans = compile(text, { now: NOW, timezone: null, limit, offset }, requests);
          if (isNotYet(plans.bound)) continue;
          subject.parts = parts;
          const [expected, actual] = [await oracle.query(plans), await subject.query(plans)];
          const difference = { world: requests, query: text, zone: plans.bound.zone, expected, actual };
          if (!sameAnswer(expected, actual)) expect.fail(printDifference(difference));
        }
      }),
      { numRuns: runs(60), ...seed() },
    );
  });
});
