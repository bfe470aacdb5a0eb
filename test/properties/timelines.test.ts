import { expect } from 'chai';
import fc from 'fast-check';
import type { World, WorldRequest } from '../oracle/world.ts';
import { compile } from '../support/compile.ts';
import { PartsSubject } from '../support/parts-subject.ts';
import type { Turn } from '../support/shard-play.ts';
import { oracleSubject } from '../support/subject.ts';
import { printDifference } from './counterexample.ts';
import { timelineQuery } from './queries.ts';
import { sameAnswer } from './same-answer.ts';
import { runs, replay } from './settings.ts';
import { NOW } from './worlds.ts';

/** Few persons and few names, so that steps follow each other, share a millisecond, and come late. */
const busyEvent = fc
  .record({
    event_type: fc.constantFrom('a', 'a', 'b', 'b', 'c'),
    time: fc.oneof(
      { weight: 6, arbitrary: fc.integer({ min: 0, max: 12 }).map((step) => at('2026-03-24T10:00Z', step * 10 * 60_000)) },
      { weight: 3, arbitrary: fc.constantFrom('2026-03-24T10:00Z', '2026-03-24T10:00:00.001Z', '2026-03-29T00:30Z', '2026-03-29T01:00Z') },
      { weight: 4, arbitrary: fc.integer({ min: 0, max: 60 }).map((day) => at('2026-01-29T23:30Z', day * 86_400_000)) },
      { weight: 1, arbitrary: fc.integer({ min: 0, max: 30 }).map((month) => at('2025-02-03T00:00Z', month * 13 * 86_400_000)) },
    ),
    user_id: fc.constantFrom('ann', 'ann', 'ann', 'bob', undefined),
    device_id: fc.constantFrom('d1', 'd1', 'd2', undefined),
    session_id: fc.constantFrom('s1', 's2', undefined),
    event_properties: fc.record({ p: fc.constantFrom<unknown>('x', 'y', 42, '42', true, null), n: fc.integer({ min: 0, max: 3 }) }),
  })
  .map((event) => Object.fromEntries(Object.entries(event).filter(([, value]) => value !== undefined))); // prettier-ignore

const busyRequest: fc.Arbitrary<WorldRequest> = fc.oneof(
  { weight: 6, arbitrary: fc.array(busyEvent, { minLength: 1, maxLength: 20, size: 'max' }).map((track) => ({ at: NOW - 1800_000, track })) },
  { weight: 1, arbitrary: fc.constantFrom('ann', 'bob').chain((user_id) => fc.constantFrom('d1', 'd2').map((device_id) => ({ at: NOW - 1800_000, identify: { user_id, device_id } }))) },
); // prettier-ignore

const busyWorld: fc.Arbitrary<World> = fc.noBias(fc.array(busyRequest, { minLength: 1, maxLength: 6, size: 'max' }));

const cutting = fc.record({
  turns: fc.array(fc.constantFrom<Turn>('nothing', 'seal', 'seal', 'compact'), { maxLength: 6, size: 'max' }),
  sealRows: fc.constantFrom(1, 3, 1_000),
  segmentRows: fc.constantFrom(4, 1_000),
});

interface Cutting {
  readonly turns: readonly Turn[];
  readonly sealRows: number;
  readonly segmentRows: number;
}

type Row = readonly unknown[];

describe('funnel, retention, lifecycle and stickiness', function () {
  this.timeout(24 * 3600_000);
  const oracle = oracleSubject();
  let subject: PartsSubject;
  before(() => {
    subject = new PartsSubject();
  });
  after(() => subject.close());

  function load(requests: World, cut: Cutting): void {
    subject.cutting = { ...cut, turns: cut.turns.values() };
    void subject.load(requests);
  }

  async function rowsOf(query: string, requests: World, parts: number): Promise<readonly Row[]> {
    subject.parts = parts;
    const plans = compile(query, { now: NOW, timezone: 'Europe/Berlin', limit: 1000, offset: 0 }, requests);
    return (await subject.query(plans)).rows;
  }

  it('answer as the oracle does where persons are busy, however segments are cut and split among parts', async () => {
    const asked = fc.tuple(timelineQuery, fc.integer({ min: 1, max: 3 }), fc.constantFrom('UTC', 'Europe/Berlin'));
    const queries = fc.noBias(fc.array(asked, { minLength: 1, maxLength: 12, size: 'max' }));
    await fc.assert(
      fc.asyncProperty(busyWorld, cutting, queries, async (requests, cut, all) => {
        load(requests, cut);
        await oracle.load(requests);
        for (const [text, parts, timezone] of all) {
          const plans = compile(text, { now: NOW, timezone, limit: 100, offset: 0 }, requests);
          subject.parts = parts;
          const [expected, actual] = [await oracle.query(plans), await subject.query(plans)];
          const difference = { world: requests, query: text, zone: plans.bound.zone, expected, actual };
          if (!sameAnswer(expected, actual)) expect.fail(printDifference(difference));
        }
      }),
      { numRuns: runs(50), ...replay() },
    );
  });

  it('reach no step less often in a wider window', async () => {
    const funnel = fc.constantFrom('a -> b', 'a -> b -> c', 'a -> a -> *', '* -> b[event_properties.p = 42] -> c', 'a -> b -> a exclude c'); // prettier-ignore
    const windows = ['1 m', '10 m', '1 h', '1 d', '4 w', '1 mo', '2 mo', '1 q', '1 y'];
    await fc.assert(
      fc.asyncProperty(busyWorld, cutting, funnel, async (requests, cut, steps) => {
        load(requests, cut);
        let narrower: readonly number[] = [];
        for (const window of windows) {
          const rows = await rowsOf(`funnel ${steps} | from 2025-01-01 | window ${window}`, requests, 2);
          const users = rows.map((row) => Number(row[2]));
          narrower.forEach((count, step) => expect(users[step], `${steps} in ${window}`).to.be.at.least(count));
          narrower = users;
        }
      }),
      { numRuns: runs(12), ...replay() },
    );
  });

  it('answer the same of one segment and of many', async () => {
    const queries = fc.array(timelineQuery, { minLength: 1, maxLength: 8, size: 'max' });
    const whole: Cutting = { turns: [], sealRows: 1_000, segmentRows: 1_000 };
    await fc.assert(
      fc.asyncProperty(busyWorld, queries, async (requests, texts) => {
        load(requests, whole);
        const expected = [];
        for (const text of texts) expected.push(await rowsOf(text, requests, 1));
        load(requests, { ...whole, sealRows: 1, turns: requests.map(() => 'seal') });
        for (const [at, text] of texts.entries()) {
          expect(await rowsOf(text, requests, 3), text).to.deep.equal(expected[at]);
        }
      }),
      { numRuns: runs(12), ...replay() },
    );
  });

  it('agree with each other and with plain counts', async () => {
    await fc.assert(
      fc.asyncProperty(busyWorld, cutting, fc.constantFrom('a', '*'), async (requests, cut, event) => {
        load(requests, cut);
        const range = 'from 2026-02-01 to 2026-03-20';
        const retention = await rowsOf(`retention ${event} returning any | ${range} | by day`, requests, 2);
        for (const row of retention) expect(row[2], 'everybody is there when they start').to.equal(row[1]);
        const persons = await rowsOf(`${event} | ${range} | unique by day`, requests, 2);
        const lifecycle = await rowsOf(`lifecycle ${event} | ${range} | by day`, requests, 2);
        expect(lifecycle.map(([day, ...states]) => [day, sum(states.slice(0, 3))])).to.deep.equal(persons);
        const stickiness = await rowsOf(`stickiness ${event} | ${range}`, requests, 2);
        const [all] = await rowsOf(`${event} | ${range} | unique`, requests, 2);
        expect(sum(stickiness.map(([, users]) => users)), 'persons').to.equal(all?.[0]);
        expect(sum(retention.map((row) => row[1])), 'members').to.equal(all?.[0]);
        expect(sum(stickiness.map(([days, users]) => Number(days) * Number(users)))).to.equal(
          sum(persons.map(([, n]) => n)),
        );
      }),
      { numRuns: runs(16), ...replay() },
    );
  });
});

function sum(numbers: readonly unknown[]): number {
  return numbers.reduce<number>((total, one) => total + Number(one), 0);
}

function at(start: string, ms: number): string {
  return new Date(Date.parse(start) + ms).toISOString();
}
