import { expect } from 'chai';
import { roundComputed } from '../../../lib/dsl/plan/value.ts';
import { oracleSubject, type Subject } from '../../support/subject.ts';
import { compile } from '../../support/compile.ts';
import { PLAIN, StoreSubject } from '../../support/store-subject.ts';

const START = Date.UTC(2026, 10, 20, 10);
const CONTEXT = { now: Date.UTC(2026, 10, 20, 18), timezone: null, limit: 100, offset: 0 };

/** A session and a two-step funnel for each length in milliseconds. */
function worldOf(lengths: readonly number[]) {
  const at = (time: number) => new Date(START + time).toISOString();
  const requests = lengths.map((length, nth) => ({
    at: START + 3_600_000,
    track: [
      { event_type: 'a', user_id: `u${nth}`, session_id: `s${nth}`, time: at(0) },
      { event_type: 'b', user_id: `u${nth}`, session_id: `s${nth}`, time: at(length) },
    ],
  }));
  return { requests, lengths };
}

describe('seconds', () => {
  let store: StoreSubject;
  before(() => {
    store = new StoreSubject({ ...PLAIN, queryEvery: 1 });
  });
  after(() => store.close());

  async function ask(subject: Subject, q: string, lengths: readonly number[]) {
    const world = worldOf(lengths).requests;
    await subject.load(world);
    return (await subject.query(compile(q, CONTEXT, world))).rows;
  }

  const STAGE =
    'count, sum session.duration, avg session.duration, median session.duration, min session.duration, max session.duration, p90 session.duration';

  for (const lengths of [
    [152_515, 152_516],
    [1, 2],
    [10_001, 20_002, 30_006],
    [285_714, 285_716, 285_715, 100_001],
  ])
    it(`are formed in milliseconds and divided once: ${lengths.join()}`, async () => {
      const sorted = lengths.toSorted((a, b) => a - b);
      const sum = lengths.reduce((total, length) => total + length, 0);
      const median =
        sorted.length % 2 === 1 ? sorted[1]! : (sorted.at(sorted.length / 2 - 1)! + sorted[sorted.length / 2]!) / 2;
      const average = sum / (1_000 * lengths.length);
      const rank = ((lengths.length - 1) * 90) / 100;
      const [low, high] = [sorted[Math.floor(rank)]!, sorted[Math.ceil(rank)]!];
      const p90 = (low + (high - low) * (rank - Math.floor(rank))) / 1_000;
      const whole = [
        lengths.length,
        sum / 1_000,
        roundComputed(average),
        median / 1_000,
        sorted[0]! / 1_000,
        sorted.at(-1)! / 1_000,
        roundComputed(p90),
      ];
      for (const subject of [store, oracleSubject()]) {
        expect(await ask(subject, `sessions | ${STAGE}`, lengths)).to.deep.equal([whole]);
        expect(await ask(subject, `a | ${STAGE}`, lengths), 'of events').to.deep.equal([whole]);
        const [day] = await ask(subject, 'sessions | last 9h', lengths);
        expect(day?.[2], 'avg_duration').to.equal(average);
        const byType = await ask(subject, 'sessions | by session.first_event', lengths);
        expect(byType[0]?.[2], 'avg_duration by a field').to.equal(average);
        const [, second] = await ask(subject, 'funnel a -> b', lengths);
        expect(second?.[5], 'median_seconds').to.equal(median / 1_000);
      }
    });
});
