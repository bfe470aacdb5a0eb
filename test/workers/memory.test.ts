import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import type { Table } from '../../lib/dsl/plan/table.ts';
import { AppError } from '../../lib/base/errors.ts';
import { bytesTaken } from '../../lib/primitives/memory.ts';
import type { ListPartial } from '../../lib/workers/kernels/partial-result.ts';
import { kernelOf } from '../../lib/workers/kernels/registry.ts';
import { runsInOnePart } from '../../lib/workers/plan-parts.ts';
import { JANUARY } from '../dsl/plans.ts';
import { compile } from '../support/compile.ts';
import { MemoryShard, type MemoryEvent } from '../support/memory-reader.ts';
import { rowContext } from '../support/row-context.ts';
import { runPlan, type RunOptions } from '../support/run-plan.ts';

const ROWS = 10_000;
const NOW = JANUARY + 3 * 86_400_000;

/** A query of every kernel, and of every way in which a kernel's state grows with the data. */
const QUERIES = [
  '* | count by event_properties.text',
  '* | count by distinct_id, event_properties.text',
  '* | unique event_properties.text',
  '* | unique insert_id',
  '* | unique by event_properties.text',
  '* | median event_properties.n by distinct_id',
  '* | sum event_properties.n, max event_properties.n by session_id',
  '* | list | limit 10000',
  '* | list | sort _path',
  '* | latest event_properties.text',
  '* | latest event_properties.text | count by last_value',
  '* | count by event_properties.text | having count > 0',
  '* | count by event_properties.text | share',
  'user "u1" | list',
  'users',
  'users | count by user.text',
  'formula unique(*, event_properties.text) / unique(*)',
  'fields',
  'inspect *',
  'inspect a',
  'funnel a -> b',
  'funnel a -> b -> a exclude c | by event_properties.text',
  'retention a | by day',
  'retention a returning b | by day, event_properties.text',
  'lifecycle * | by day',
  'stickiness *',
  'paths from * | by event_properties.text',
  'paths to a',
  'sessions | by session.landing_path',
  'sessions | count, median session.duration by session.first_event, session.exit_path',
  '* | unique by session.landing_path',
  '* | count by user_last_session.landing_path',
  'choice k | unique by event_properties.text',
  'choice k | results a | unit event_properties.text',
  'attribution a | by event_properties.text | model linear | sum event_properties.n',
  'attribution * | by session.landing_path',
  '* | people',
  '* | by event_properties.text | people | having time exists',
  'sessions | people',
  'funnel a -> b | by event_properties.text | people dropped 1',
  'retention a returning b | by day, event_properties.text | people lost 1',
  'lifecycle * | by day | people dormant',
  'stickiness * | people 1',
  'paths from * | people',
  'choice k | results a | people',
];

/** Queries whose groups grow with the data. */
const GROUPED = [
  '* | count by event_properties.text',
  '* | unique by insert_id',
  '* | sum event_properties.n by distinct_id, session_id',
  '* | latest event_properties.text | count by last_value',
  'users | count by user.text',
  'funnel a -> b | by event_properties.text',
  'retention a | by day, event_properties.text',
  'sessions | by session.landing_path',
  'paths from * | by event_properties.text',
  'choice k | count by event_properties.text',
  'attribution * | by event_properties.text',
];

/** Queries that take 6 to 26 MiB of the 40,000 rows where nothing limits them. */
const HUNGRY = [
  '* | latest event_properties.text',
  '* | latest event_properties.text | count by last_value',
  'fields',
  'inspect a',
  'retention a returning b | by day, event_properties.text',
];

/** Queries that hold much of large rows. */
const LARGE = [
  '* | list',
  '* | list | sort _path',
  '* | latest event_properties.text',
  '* | latest event_properties.items',
  '* | latest event_properties.items | sort last_value',
];

const GIB = 2 ** 30;
const MEMORIES = [1_000, 100_000, 1_000_000, 4_000_000, 16_000_000];

describe('the memory of a query', () => {
  let shard: MemoryShard;
  before(() => (shard = adversary()));
  after(() => (shard = adversary(0))); // otherwise it slows every collection below

  for (const query of QUERIES) {
    it(`is bounded: the right answer or a 400 that says what to narrow: ${query}`, () => {
      const right = ask(shard, query, { memory: GIB });
      const outcomes = MEMORIES.map((memory) => outcomeOf(() => ask(shard, query, { memory })));
      for (const outcome of outcomes) {
        if (outcome instanceof AppError) expectHelpful(outcome, /memory; .*narrow/);
        else expect(outcome.rows).to.deep.equal(right.rows);
      }
      expect(outcomes[0], 'a thousand bytes').to.be.instanceOf(AppError);
    });
  }

  for (const query of GROUPED) {
    it(`has at most so many groups: ${query}`, () => {
      const outcome = outcomeOf(() => ask(shard, query, { maxGroups: 100 }));
      if (!(outcome instanceof AppError)) return expect.fail(`${outcome.rows.length} rows came`);
      expectHelpful(outcome, /more than 100 .*(group|label)/);
    });
  }
});

describe('people', () => {
  it('may be more than an answer has groups', () => {
    const shard = adversary(500);
    for (const query of ['* | people', 'sessions | people', 'stickiness * | people 1']) {
      const { rows, total } = ask(shard, query, { maxGroups: 100 });
      expect([rows.length, total > 200], query).to.deep.equal([100, true]);
    }
  });
});

describe('the memory of rows that a stage works on', () => {
  const STAGES = ['having count > 0', 'share', 'sort distinct_id'];
  const shard = adversary(5_000);

  /** The least memory, to some kilobytes, with which a query is answered. */
  function leastFor(query: string): number {
    let [refused, enough] = [0, 64_000_000];
    while (enough - refused > 8_000) {
      const memory = (refused + enough) / 2;
      if (outcomeOf(() => ask(shard, query, { memory })) instanceof AppError) refused = memory;
      else enough = memory;
    }
    return enough;
  }

  for (const stage of STAGES) {
    it(`is counted, for all of them: ${stage}`, () => {
      const query = '* | count by distinct_id';
      expect(leastFor(`${query} | ${stage}`) - leastFor(query)).to.be.at.least(5_000 * 100);
    });
  }
});

describe('the memory of large rows', () => {
  const MIB = 2 ** 20;
  const shard = withLargeRows(200);
  for (const query of LARGE) {
    it(`is counted by what they hold: ${query}`, () => {
      expect(ask(shard, query, { memory: 200 * MIB }).rows).to.have.lengthOf(100);
      const outcome = outcomeOf(() => ask(shard, query, { memory: 5 * MIB }));
      if (!(outcome instanceof AppError)) return expect.fail(`${outcome.rows.length} rows came`);
      expectHelpful(outcome, /memory; .*narrow/);
    });
  }
});

describe('the memory of large rows of several parts', () => {
  it('is counted where they are merged, too', () => {
    const context = rowContext('* | list', 5 * 2 ** 20);
    const part: ListPartial = { kind: 'list', passed: 0, total: 1, rows: [], beyond: 3 * 2 ** 20 };
    const merged = (parts: number): unknown =>
      kernelOf(context.plan).answer(new Array<ListPartial>(parts).fill(part), context);
    expect(() => merged(1)).not.to.throw();
    expect(() => merged(2)).to.throw('needs more than 5 MiB of memory');
  });
});

describe('the memory of the process', () => {
  const MIB = 2 ** 20;
  const limit = MIB;
  /** Allows for the error of estimates, and for what is kept of dictionaries between queries. */
  const most = 4 * MIB;

  it('stays near the limit of a query, whatever is asked', () => {
    const shard = adversary(40_000);
    for (const query of HUNGRY) expect(peakOf(shard, query, limit), query).to.be.below(most);
  });

  it('does not grow with the number of keys that fields and inspect look at', () => {
    const keys = Array.from({ length: 400 }, (_, at) => `k${at}`);
    const shard = adversary(5_000, Object.fromEntries(keys.map((key) => [key, key])));
    for (const query of ['fields', 'inspect a']) expect(peakOf(shard, query, limit), query).to.be.below(most);
  });

  it('is looked at, and the clock, for every key of the profiles', () => {
    const common = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`k${at}`, at]));
    const looks = [{}, common].map((properties) => {
      let checkpoints = 0;
      ask(adversary(100, properties), 'fields', { memory: GIB, checkpoint: () => checkpoints++ });
      return checkpoints;
    });
    expect(looks[1]! - looks[0]!).to.be.at.least(50);
  });
});

/**
 * Live bytes near the end of a query, when it holds most, minus those before it. The least of three runs: what V8 does meanwhile for
 * itself (code, feedback, buffers not yet swept) adds now and then, never takes away, and is no memory of the query.
 */
function peakOf(shard: MemoryShard, query: string, memory: number): number {
  return Math.min(...Array.from({ length: 3 }, () => onePeakOf(shard, query, memory)));
}

function onePeakOf(shard: MemoryShard, query: string, memory: number): number {
  let checkpoints = 0;
  outcomeOf(() => ask(shard, query, { memory, checkpoint: () => checkpoints++ }));
  const before = liveBytes();
  let peak = 0;
  let passed = 0;
  const checkpoint = (): void => {
    if (++passed === checkpoints) peak = liveBytes() - before;
  };
  outcomeOf(() => ask(shard, query, { memory, checkpoint }));
  return peak;
}

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

function liveBytes(): number {
  collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers + bytesTaken();
}

function outcomeOf(run: () => Table): Table | AppError {
  try {
    return run();
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

function expectHelpful({ data }: AppError, says: RegExp): void {
  expect(data.code).to.equal('bad_query');
  expect(data.message).to.match(says);
}

function ask(shard: MemoryShard, query: string, options: Partial<RunOptions>): Table {
  const { optimized } = compile(query, { now: NOW, timezone: null, limit: 100, offset: 0 }, []);
  const partOf = runsInOnePart(optimized) ? (): number => 0 : ({ id }: { readonly id: number }): number => id % 2;
  return runPlan(optimized, shard, shard.snapshot(), { partOf, ...options }).table;
}

/** Every event has 64 KiB of text and JSON, and its own person. */
function withLargeRows(rows: number): MemoryShard {
  const events = Array.from({ length: rows }, (_, arrival): MemoryEvent => {
    const userId = `u${arrival}`;
    const items = Array.from({ length: 8_000 }, (__, at) => at + arrival);
    return {
      ...{ arrival, time: JANUARY + arrival * 3_000, type: 'a', enriched: { _path: `/${arrival}` } },
      ...{ userId, distinctId: userId, deviceId: null, sessionId: null, insertId: `i${arrival}` },
      properties: { text: `${'x'.repeat(20_000)}${arrival}`, items },
      userProperties: {},
    };
  });
  return new MemoryShard(events, [], { segmentOf: ({ arrival }) => arrival % 2 });
}

/** Nothing repeats: every event has its own person, session, path and long text. */
function adversary(rows = ROWS, common: { readonly [key: string]: unknown } = {}): MemoryShard {
  const long = 'x'.repeat(150);
  const types = ['a', 'b', 'choice.exposure', 'c'];
  const events = Array.from({ length: rows }, (_, arrival): MemoryEvent => {
    const userId = `u${arrival}`;
    const path = `/${long}/${arrival}`;
    return {
      arrival,
      time: JANUARY + arrival * 3_000,
      type: types[arrival % types.length]!,
      ...{ userId, distinctId: userId, deviceId: `d${arrival}`, sessionId: `s${arrival}`, insertId: `i${arrival}` },
      properties: {
        ...{ text: `${long}${arrival}`, n: arrival / 7, url: `https://a.example${path}` },
        ...{ choice_key: 'k', variant_key: `v${arrival % 5}` },
      },
      userProperties: {},
      enriched: { _path: path },
    };
  });
  const profiles = events.map(({ userId, time }) => ({
    ...{ userId: userId!, firstSeen: time, lastSeen: time, properties: { ...common, text: `${long}${userId}` } },
  }));
  return new MemoryShard(events, profiles, { segmentOf: ({ arrival }) => Math.floor(arrival / (rows / 4)) });
}
