import { expect } from 'chai';
import fc from 'fast-check';
import { compile } from '../support/compile.ts';
import { oracleSubject } from '../support/subject.ts';
import { PLAIN, StoreSubject, type Segmenting } from '../support/store-subject.ts';
import { printDifference } from './counterexample.ts';
import { query } from './queries.ts';
import { sameAnswer } from './same-answer.ts';
import { runs, replay } from './settings.ts';
import { NOW, world } from './worlds.ts';

/** How a world is cut into segments, and how many worlds `npm test` tries that way. */
const SEGMENTINGS: readonly { readonly name: string; readonly segmenting: Segmenting; readonly worlds: number }[] = [
  { name: 'one segment', segmenting: PLAIN, worlds: 16 },
  { name: 'a segment a request', segmenting: { ...PLAIN, queryEvery: 1 }, worlds: 16 },
  { name: 'segments of three rows', segmenting: { ...PLAIN, sealRows: 3, segmentRows: 8 }, worlds: 16 },
  { name: 'a restart', segmenting: { ...PLAIN, queryEvery: 2, restart: true }, worlds: 3 },
];

/** Queries per world: loading one costs more than answering. */
const QUERIES = 8;

for (const { name, segmenting, worlds } of SEGMENTINGS) {
  describe(`the embedded store, with ${name}`, function () {
    this.timeout(24 * 3600_000);
    const oracle = oracleSubject();
    let subject: StoreSubject;
    before(() => {
      subject = new StoreSubject(segmenting);
    });
    after(() => subject.close());

    it('answers random queries on random worlds as the oracle does', async () => {
      const queries = fc.array(query, { minLength: 1, maxLength: QUERIES, size: 'max' });
      await fc.assert(
        fc.asyncProperty(world, queries, async (requests, texts) => {
          await Promise.all([oracle.load(requests), subject.load(requests)]);
          for (const text of texts) {
            const plans = compile(text, { now: NOW, timezone: null, limit: 100, offset: 0 }, requests);
            const expected = await oracle.query(plans);
            const actual = await subject.query(plans);
            const difference = { world: requests, query: text, zone: plans.bound.zone, expected, actual };
            if (!sameAnswer(expected, actual)) expect.fail(printDifference(difference));
          }
        }),
        { numRuns: runs(worlds), ...replay() },
      );
    });
  });
}
