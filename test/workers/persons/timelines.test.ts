import { expect } from 'chai';
import { AppError } from '../../../lib/base/errors.ts';
import { QueryStopped } from '../../../lib/workers/query-context.ts';
import { compile } from '../../support/compile.ts';
import { MemoryShard, type MemoryEvent } from '../../support/memory-reader.ts';
import { runPlan, type RunOptions } from '../../support/run-plan.ts';

const DAY = 86_400_000;
const START = Date.parse('2026-01-05T00:00:00Z');
const NOW = START + 200 * DAY;

function event(arrival: number, type: string, day: number, person: string | null): MemoryEvent {
  const nothing = { deviceId: null, sessionId: null, properties: {}, userProperties: {}, enriched: {} };
  const time = START + day * DAY;
  return { arrival, time, type, userId: person, distinctId: person, insertId: String(arrival), ...nothing };
}

const PERSONS = 4_000;
const events = Array.from({ length: PERSONS }, (_, n) => event(n, n % 2 === 0 ? 'a' : 'b', n % 190, `p${n % 977}`));
const shard = new MemoryShard(events, [], { segmentOf: ({ arrival }) => Math.floor(arrival / 1_000) });

/** For each source, one query joined from parts and one that goes through buckets in order. */
const QUERIES = [
  'funnel a -> b | from 2026-01-01',
  'funnel * -> * exclude b | from 2026-01-01 | by event_type',
  'retention a | from 2026-01-01 to 2026-03-01',
  'retention a returning b | from 2026-01-01 | by day',
  'lifecycle * | from 2026-03-01 | by week',
  'lifecycle * | from 2026-01-01 | by day',
  'stickiness * | from 2026-03-01 to 2026-04-01',
  'stickiness * | from 2026-01-01',
];

function run(query: string, options: Partial<RunOptions>): unknown {
  const { optimized } = compile(query, { now: NOW, timezone: null, limit: 1_000, offset: 0 }, []);
  return runPlan(optimized, shard, shard.snapshot(), { partOf: () => 0, ...options }).table.rows;
}

describe('funnel, retention, lifecycle and stickiness', () => {
  for (const query of QUERIES) {
    it(`name the limit when their memory is used up: ${query}`, () => {
      expect(() => run(query, { memory: 500 })).to.throw(AppError, /more than 0 MiB of memory; narrow the range/);
    });

    it(`stop where they are told to: ${query}`, () => {
      let left = 5;
      const checkpoint = (): void => {
        if (--left < 0) throw new QueryStopped();
      };
      expect(() => run(query, { checkpoint })).to.throw(QueryStopped);
    });
  }

  it('give no answer with more groups than a query may hold', () => {
    expect(() => run('funnel a -> b | from 2026-01-01 | by distinct_id', { maxGroups: 10 })).to.throw(AppError, /more than 10 groups/);
    expect(() => run('retention a | from 2026-01-01 to 2026-03-01 | by distinct_id', { maxGroups: 10 })).to.throw(AppError, /more than 10 groups/);
  }); // prettier-ignore

  it('count nobody for events without a person', () => {
    const lost = new MemoryShard([event(0, 'a', 0, null), event(1, 'b', 1, null)], [], { segmentOf: () => 0 });
    const rows = (query: string): unknown => {
      const { optimized } = compile(query, { now: NOW, timezone: null, limit: 1_000, offset: 0 }, []);
      return runPlan(optimized, lost, lost.snapshot(), { partOf: () => 0 }).table.rows;
    };
    expect(rows('funnel a -> b | from 2026-01-01')).to.deep.equal([
      [1, 'a', 0, null, null, null],
      [2, 'b', 0, null, null, null],
    ]);
    expect(rows('retention a | from 2026-01-05 to 2026-01-12')).to.deep.equal([['2026-01-05', 0, 0]]);
    expect(rows('lifecycle * | from 2026-01-05 to 2026-01-07 | by day')).to.deep.equal([
      ['2026-01-05', 0, 0, 0, 0],
      ['2026-01-06', 0, 0, 0, 0],
    ]);
    expect(rows('stickiness * | from 2026-01-01')).to.deep.equal([]);
  });
});
