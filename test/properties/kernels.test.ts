import { expect } from 'chai';
import fc from 'fast-check';
import type { World, WorldRequest } from '../oracle/world.ts';
import { atEnds } from '../support/at-ends.ts';
import { compile } from '../support/compile.ts';
import { PartsSubject } from '../support/parts-subject.ts';
import type { Turn } from '../support/shard-play.ts';
import { oracleSubject } from '../support/subject.ts';
import { printDifference } from './counterexample.ts';
import { query } from './queries.ts';
import { sameAnswer } from './same-answer.ts';
import { runs, replay } from './settings.ts';
import { NOW, world } from './worlds.ts';

/** Queries per world: loading one costs more than answering. */
const QUERIES = 12;

const turn = fc.constantFrom<Turn>('nothing', 'nothing', 'seal', 'seal', 'restart', 'compact');
type Asked = readonly [text: string, parts: number, limit: number, offset: number];

interface Cutting {
  readonly turns: readonly Turn[];
  readonly sealRows: number;
  readonly segmentRows: number;
  readonly lines: boolean;
}

const cutting: fc.Arbitrary<Cutting> = fc.record({
  turns: fc.array(turn, { maxLength: 9, size: 'max' }),
  sealRows: fc.constantFrom(1, 3, 1_000),
  segmentRows: fc.constantFrom(4, 1_000),
  lines: fc.boolean(),
});

describe('kernels', () => {
  const oracle = oracleSubject();
  let subject: PartsSubject;
  before(() => {
    subject = new PartsSubject();
  });
  after(() => subject.close());

  const asked = fc.tuple(query, fc.integer({ min: 1, max: 3 }), fc.constantFrom(100, 100, 2), fc.constantFrom(0, 0, 1));
  const queries = fc.noBias(fc.array(asked, { minLength: 1, maxLength: QUERIES, size: 'max' }));

  async function expectSame(requests: World, cut: Cutting, all: readonly Asked[]): Promise<void> {
    subject.cutting = { ...cut, turns: cut.turns.values() };
    await Promise.all([oracle.load(requests), subject.load(requests)]);
    for (const [text, parts, limit, offset] of all) {
      const plans = compile(text, { now: NOW, timezone: null, limit, offset }, requests);
      subject.parts = parts;
      const [expected, actual] = [await oracle.query(plans), await subject.query(plans)];
      const difference = { world: requests, query: text, zone: plans.bound.zone, expected, actual };
      if (!sameAnswer(expected, actual)) expect.fail(printDifference(difference));
    }
  }

  it('answer random queries as the oracle does, however segments are cut and split among parts', async function () {
    this.timeout(24 * 3600_000);
    await fc.assert(fc.asyncProperty(world, cutting, queries, expectSame), { numRuns: runs(24), ...replay() });
  });

  atEnds((title) => {
    it(`answer so ${title}`, async function () {
      this.timeout(24 * 3600_000);
      await fc.assert(fc.asyncProperty(world, cutting, queries, expectSame), { numRuns: runs(12), ...replay() });
    });
  });

  it('answer so of keys, too, that found no column of their own any more', async function () {
    this.timeout(24 * 3600_000);
    await fc.assert(
      fc.asyncProperty(world, cutting, queries, (requests, cut, all) => expectSame([CROWD, ...requests], cut, all)),
      { numRuns: runs(4), ...replay() },
    );
  });
});

/** Uses up all columns that a project may have, long before any range. */
const CROWD: WorldRequest = {
  at: Date.parse('2020-01-01T00:00Z'),
  track: Array.from({ length: 9 }, (_, event) => ({
    event_type: 'crowd',
    event_properties: Object.fromEntries(Array.from({ length: 256 }, (__, key) => [`k${event * 256 + key}`, key])),
  })),
};
