import { expect } from 'chai';
import fc from 'fast-check';
import { AppError } from '../../../../lib/base/errors.ts';
import type { World } from '../../../oracle/world.ts';
import { printDifference } from '../../../properties/counterexample.ts';
import { sameAnswer } from '../../../properties/same-answer.ts';
import { runs, replay } from '../../../properties/settings.ts';
import { compile } from '../../../support/compile.ts';
import { MemoryShard, type MemoryEvent } from '../../../support/memory-reader.ts';
import { PartsSubject } from '../../../support/parts-subject.ts';
import { runPlan, type RunOptions } from '../../../support/run-plan.ts';
import type { Turn } from '../../../support/shard-play.ts';
import { oracleSubject } from '../../../support/subject.ts';

const START = Date.parse('2026-03-24T10:00:00Z');
const NOW = Date.parse('2026-03-30T12:00:00Z');
const TYPES = ['a', 'b', 'b', 'c', 'c', 'c', 'd'];

const busy = fc.record({
  seed: fc.integer({ min: 1, max: 2 ** 31 }),
  persons: fc.constantFrom(3, 20, 200),
  requests: fc.constantFrom(1, 2, 4),
  /** Minutes that a request's events are spread over, and minutes between requests. */
  spread: fc.constantFrom(10, 300),
  step: fc.constantFrom(0, 150, 300),
});

describe('paths', () => {
  it('are the same as the oracle says where segments have many rows', async function () {
    this.timeout(24 * 3600_000);
    const oracle = oracleSubject();
    const subject = new PartsSubject();
    const query = fc
      .tuple(
        fc.constantFrom('from a', 'to a', 'from *', 'to *'),
        fc.constantFrom('', '| window 1 m', '| window 7 m', '| window 1 d'),
        fc.constantFrom('', '| depth 2', '| depth 30'),
        fc.constantFrom('', '| where event_type != "c"'),
        fc.constantFrom('from 2026-01-01', 'from 2026-03-24T10:03Z to 2026-03-24T10:31Z'),
      )
      .map(([way, ...stages]) => `paths ${way} | ${stages.reverse().join(' ')}`);
    const turns = fc.array(fc.constantFrom<Turn>('nothing', 'seal', 'compact'), { maxLength: 4 });
    try {
      await fc.assert(
        fc.asyncProperty(busy, turns, fc.array(query, { minLength: 3, maxLength: 6 }), async (made, cut, queries) => {
          const world = busyWorld(made);
          subject.cutting = { turns: cut.values(), sealRows: 1_000, segmentRows: 500 };
          await Promise.all([oracle.load(world), subject.load(world)]);
          for (const text of queries) {
            const plans = compile(text, { now: NOW, timezone: null, limit: 1_000, offset: 0 }, world);
            const [expected, actual] = [await oracle.query(plans), await subject.query(plans)];
            const difference = { world, query: text, zone: 'UTC', expected, actual };
            if (!sameAnswer(expected, actual)) expect.fail(printDifference(difference));
          }
        }),
        { numRuns: runs(15), ...replay() },
      );
    } finally {
      subject.close();
    }
  });

  it('do not depend on how events are spread over segments', () => {
    const events = eventsOf(400);
    const expected = ask(events, () => 0).rows;
    expect(expected).to.have.length.above(10);
    for (const segments of [2, 3, 7, 400]) {
      expect(ask(events, ({ arrival }) => arrival % segments).rows, `${segments} segments`).to.deep.equal(expected);
      expect(ask(events, ({ arrival }) => Math.floor((arrival * segments) / 400)).rows).to.deep.equal(expected);
    }
  });

  it('look at the clock while they are read', () => {
    let looks = 0;
    ask(eventsOf(400), ({ arrival }) => arrival % 2, { checkpoint: () => looks++ });
    expect(looks).to.be.above(4);
  });

  it('that need more memory than there is are refused', () => {
    expectRefusal({ memory: 10_000 }, 'memory');
  });

  it('count the labels that they show as memory', () => {
    const long = eventsOf(400).map((event) => ({ ...event, properties: { page: 'p'.repeat(8_000) + event.arrival } }));
    const query = 'paths from a | by event_properties.page | limit 1000';
    expect(ask(long, () => 0, { memory: 8_000_000 }, query).rows).to.have.length(26);
    expect(ask(long, () => 0, { memory: 500_000 }, query, 1).rows).to.have.length(1);
    expectRefusal({ memory: 500_000 }, 'memory', long, query);
  });

  it('of more kinds than there may be are refused with what to do', () => {
    expectRefusal({ maxGroups: 5 }, 'more than 5 different paths; lower the depth');
  });

  it('are cut at the page, and the total still counts them all', () => {
    const events = eventsOf(400);
    const all = ask(events, () => 0, {}, 'paths from a | limit 1000', 1_000);
    const page = ask(events, () => 0, {}, 'paths from a | limit 1000', 3);
    expect(page.total).to.equal(all.total);
    expect(page.rows).to.deep.equal(all.rows.slice(0, 3));
  });
});

type Options = Omit<RunOptions, 'partOf'>;

function ask(
  events: readonly MemoryEvent[],
  segmentOf: (event: MemoryEvent) => number,
  options: Options = {},
  query = 'paths from a | limit 1000',
  limit = 1_000,
): ReturnType<typeof runPlan>['table'] {
  const shard = new MemoryShard(events, [], { segmentOf });
  const { optimized } = compile(query, { now: NOW, timezone: null, limit, offset: 0 }, []);
  return runPlan(optimized, shard, shard.snapshot(), { partOf: () => 0, ...options }).table;
}

function expectRefusal(options: Options, says: string, events = eventsOf(400), query?: string): void {
  try {
    ask(events, () => 0, options, query);
  } catch (error) {
    expect(error).to.be.instanceOf(AppError);
    expect(String(error)).to.contain(says);
    return;
  }
  expect.fail('the query was answered');
}

function eventsOf(count: number): MemoryEvent[] {
  const random = randomOf(7);
  return Array.from({ length: count }, (_, arrival): MemoryEvent => {
    const person = `u${random(40)}`;
    return {
      ...{ arrival, time: START + random(90) * 60_000, type: TYPES[random(TYPES.length)] ?? 'a', sessionId: null },
      ...{ userId: person, deviceId: null, distinctId: person, insertId: `i${arrival}` },
      ...{ properties: {}, userProperties: {}, enriched: {} },
    };
  });
}

function busyWorld(made: { seed: number; persons: number; requests: number; spread: number; step: number }): World {
  const random = randomOf(made.seed);
  return Array.from({ length: made.requests }, (_, request) => ({
    at: NOW,
    track: Array.from({ length: 300 }, () => ({
      event_type: TYPES[random(TYPES.length)],
      user_id: `u${random(made.persons)}`,
      time: START + request * made.step * 60_000 + random(made.spread * 60) * 1_000,
    })),
  }));
}

/** Pseudo-random numbers below n, the same for the same seed. */
function randomOf(start: number): (n: number) => number {
  let state = start;
  return (n) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
}
