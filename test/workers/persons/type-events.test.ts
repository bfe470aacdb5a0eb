import { expect } from 'chai';
import { JANUARY } from '../../dsl/plans.ts';
import { compile } from '../../support/compile.ts';
import { MemoryShard, type MemoryEvent } from '../../support/memory-reader.ts';
import { runPlan } from '../../support/run-plan.ts';

const HOUR = 3_600_000;
const PERSONS = 200;
/** Begins and ends in the middle of a segment. */
const RANGE = 'from 2026-01-01T10:00:00Z to 2026-01-08T00:00:00Z';

/** Everyone does `a` in their own hour, and a minute later every third `b`, the others `c`. */
const events = Array.from({ length: PERSONS * 2 }, (_, arrival): MemoryEvent => {
  const person = arrival >> 1;
  const second = arrival % 2 === 1;
  const userId = `u${person}`;
  return {
    ...{ arrival, userId, distinctId: userId, deviceId: null, sessionId: null, insertId: `i${arrival}` },
    time: JANUARY + person * HOUR + (second ? 60_000 : 0),
    type: second ? (person % 3 === 0 ? 'b' : 'c') : 'a',
    ...{ properties: {}, userProperties: {}, enriched: {} },
  };
});

describe('events of a type that are kept by person', () => {
  it('are cut to the range of the question, whoever the persons are', () => {
    const shard = new MemoryShard(events, [], { segmentOf: ({ arrival }) => Math.floor(arrival / 150) });
    const now = JANUARY + 30 * 24 * HOUR;
    const [from, to] = [10, 7 * 24];
    const asked = Array.from({ length: to - from }, (_, n) => from + n).filter((person) => person < PERSONS);
    for (const [q, second] of [
      [`funnel a -> b | ${RANGE}`, asked.filter((person) => person % 3 === 0).length],
      [`funnel a -> c | ${RANGE}`, asked.filter((person) => person % 3 !== 0).length],
    ] as const) {
      const { optimized } = compile(q, { now, timezone: null, limit: 100, offset: 0 }, []);
      const { table } = runPlan(optimized, shard, shard.snapshot(), { partOf: ({ id }) => id % 2 });
      const users = table.columns.findIndex(({ name }) => name === 'users');
      expect(table.rows.map((row) => row[users])).to.deep.equal([asked.length, second]);
    }
  });
});
