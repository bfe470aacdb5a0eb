import { expect } from 'chai';
import fc from 'fast-check';
import { AppError } from '../../lib/base/errors.ts';
import type { Hides } from '../../lib/dsl/plan/hides.ts';
import { compile, type CompiledPlans } from '../support/compile.ts';
import { oracleSubject } from '../support/subject.ts';
import { PLAIN, StoreSubject } from '../support/store-subject.ts';
import { printDifference } from './counterexample.ts';
import { query } from './queries.ts';
import { sameAnswer } from './same-answer.ts';
import { runs, replay } from './settings.ts';
import { NOW, world } from './worlds.ts';

const QUERIES = 12;

/** Names that the worlds have, so that many queries meet some. */
const CONTEXT = { now: NOW, timezone: null, limit: 100, offset: 0 };

const KINDS: readonly { readonly who: string; readonly hides: Hides }[] = [
  { who: 'without personal data', hides: { key: 'k', personal: ['plan', '_path'] } },
  { who: 'without profiles', hides: { key: null, personal: 'profiles' } },
];

/** The plans of a query; null where it is refused, as are many that use ids. */
function plansOf(text: string, hides: Hides, requests: Parameters<typeof compile>[2]): CompiledPlans | null {
  try {
    return compile(text, { ...CONTEXT, hides }, requests);
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}

for (const { who, hides } of KINDS)
  describe(`the embedded store, asked ${who}`, function () {
    this.timeout(24 * 3600_000);
    const oracle = oracleSubject();
    let subject: StoreSubject;
    before(() => {
      subject = new StoreSubject({ ...PLAIN, sealRows: 3, segmentRows: 8 });
    });
    after(() => subject.close());

    it('answers random queries on random worlds as the oracle does', async () => {
      const queries = fc.array(query, { minLength: 1, maxLength: QUERIES, size: 'max' });
      let answered = 0;
      await fc.assert(
        fc.asyncProperty(world, queries, async (requests, texts) => {
          await Promise.all([oracle.load(requests), subject.load(requests)]);
          for (const text of texts) {
            const plans = plansOf(text, hides, requests);
            if (plans === null) continue;
            const expected = await oracle.query(plans);
            // A store makes its own ids for events without one.
            if (text.includes('insert_id') || expected.columns.some(({ name }) => name === 'insert_id')) continue;
            answered++;
            const actual = await subject.query(plans);
            const difference = { world: requests, query: text, zone: plans.bound.zone, expected, actual };
            if (!sameAnswer(expected, actual)) expect.fail(printDifference(difference));
          }
        }),
        { numRuns: runs(16), ...replay() },
      );
      expect(answered).to.be.above(0);
    });
  });
