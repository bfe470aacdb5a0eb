import { expect } from 'chai';
import fc from 'fast-check';
import type { World } from '../oracle/world.ts';
import { compile } from '../support/compile.ts';
import { PartsSubject } from '../support/parts-subject.ts';
import { PLAIN, StoreSubject } from '../support/store-subject.ts';
import { oracleSubject, type Subject } from '../support/subject.ts';
import { printDifference } from './counterexample.ts';
import { query } from './queries.ts';
import { sameAnswer } from './same-answer.ts';
import { runs, replay } from './settings.ts';
import { NOW, world } from './worlds.ts';

/** Run after every request, so that whatever is cached between queries is used when it is out of date. */
const questions = fc.array(query, { minLength: 1, maxLength: 3 });

/** Sends a world request by request, and compares the answers after each of them. */
async function expectSame(subject: Subject, requests: World, texts: readonly string[]): Promise<void> {
  const oracle = oracleSubject();
  await Promise.all([oracle.load([]), subject.load([])]);
  for (const [index, request] of requests.entries()) {
    await Promise.all([oracle.send(request), subject.send(request)]);
    for (const text of texts) {
      const plans = compile(text, { now: NOW, timezone: null, limit: 100, offset: 0 }, []);
      const [expected, actual] = [await oracle.query(plans), await subject.query(plans)];
      const sent = requests.slice(0, index + 1);
      const difference = { world: sent, query: text, zone: plans.bound.zone, expected, actual };
      if (!sameAnswer(expected, actual)) expect.fail(printDifference(difference));
    }
  }
}

describe('queries between requests', function () {
  this.timeout(24 * 3600_000);
  let kernels: PartsSubject;
  let store: StoreSubject;
  before(() => {
    kernels = new PartsSubject();
    store = new StoreSubject(PLAIN);
  });
  after(async () => {
    kernels.close();
    await store.close();
  });

  it('see in kernels what has arrived so far, whatever was asked before', async () => {
    const parts = fc.integer({ min: 1, max: 2 });
    await fc.assert(
      fc.asyncProperty(world, questions, parts, (requests, texts, count) => {
        kernels.parts = count;
        return expectSame(kernels, requests, texts);
      }),
      { numRuns: runs(12), ...replay() },
    );
  });

  it('find a user who is asked for before an identify brings the id', async () => {
    const requests: World = [
      { at: NOW - 2, track: [{ event_type: 'a', device_id: 'd1' }] },
      { at: NOW - 1, identify: { user_id: 'ann', device_id: 'd1' } },
    ];
    for (const subject of [kernels, store])
      await expectSame(subject, requests, ['user "ann" | list', 'user "ann" | count']);
  });

  it('see in the embedded store what was acknowledged', async () => {
    await fc.assert(
      fc.asyncProperty(world, questions, (requests, texts) => expectSame(store, requests, texts)),
      { numRuns: runs(8), ...replay() },
    );
  });
});
