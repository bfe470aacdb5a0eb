import { expect } from 'chai';
import type { Table } from '../../../lib/dsl/plan/table.ts';
import { AppError } from '../../../lib/base/errors.ts';
import { runsInOnePart } from '../../../lib/workers/plan-parts.ts';
import { QueryStopped } from '../../../lib/workers/query-context.ts';
import { parameterOf } from '../../../lib/workers/sessions/url-parameters.ts';
import { sameAnswer } from '../../properties/same-answer.ts';
import { compile } from '../../support/compile.ts';
import { MemoryShard, type MemoryEvent, type MemoryShardOptions } from '../../support/memory-reader.ts';
import { PartsSubject } from '../../support/parts-subject.ts';
import { runPlan, type RunOptions } from '../../support/run-plan.ts';

const NOW = Date.parse('2026-03-30T12:00:00Z');
const START = Date.parse('2026-03-20T00:00:00Z');
const MINUTE = 60_000;

const QUERIES = [
  'sessions | last 20 d | by day',
  'sessions | last 20 d | where session.event_count > 2 | by day',
  'sessions | from 2026-03-20T03:00 to 2026-03-20T09:30 | by hour',
  'sessions | last 20 d | where event_type = "a" | by day',
  'sessions | last 20 d | count, unique, median session.duration by session.landing_path, session.utm_source | limit 50',
  'sessions | last 20 d | count, sum event_properties.n by event_properties.n',
  '* | last 20 d | where session.event_count > 3 | count, unique by session.first_event, day',
  '* | last 20 d | count, p90 session.duration by session.exit_path | limit 50',
  'b | last 20 d | where session.start_time > "2026-03-20T04:00" | count, max session.end_time',
  '* | last 20 d | count, max user_last_session.event_count by user_last_session.exit_path | limit 50',
];

describe('sessions', () => {
  const events = manyEvents(3_000);
  const whole = new MemoryShard(events, [], { segmentOf: () => 0 });
  const expected = QUERIES.map((query) => ask(whole, query));

  const cuts: readonly { readonly how: string; readonly options: MemoryShardOptions }[] = [
    { how: 'follow each other', options: { segmentOf: ({ time }) => Math.floor((time - START) / (90 * MINUTE)) } },
    { how: 'all overlap', options: { segmentOf: ({ arrival }) => arrival % 7 } },
    { how: 'are two, one of them late', options: { segmentOf: ({ arrival }) => (arrival % 50 === 0 ? 1 : 0) } },
    { how: 'have dictionaries of their own', options: { segmentOf: ({ arrival }) => arrival % 3, local: isProperty } },
  ];
  for (const { how, options } of cuts) {
    const shard = new MemoryShard(events, [], options);
    for (const parts of [1, 2, 3]) {
      it(`are the same in ${parts} parts where segments ${how}`, () => {
        for (const [at, query] of QUERIES.entries()) {
          const actual = ask(shard, query, { partOf: ({ id }) => id % parts });
          expect(sameAnswer(actual, expected[at]!), `${query}\n${print(actual)}\n${print(expected[at]!)}`).to.equal(
            true,
          );
        }
      });
    }
  }

  it('that late events go on with are found, however many sessions came between', () => {
    // 80,000 sessions of one event each, then three late events: of the first, a middle and the last one.
    const early = Array.from({ length: 80_000 }, (_, at) => event(at, START + at, `s${at}`));
    const late = ['s0', 's40000', 's79999'].map((session, at) => event(80_000 + at, START + 90_000 + at, session));
    const shard = new MemoryShard([...early, ...late], [], { segmentOf: ({ arrival }) => (arrival < 80_000 ? 0 : 1) });
    const { rows } = ask(shard, 'sessions | last 20 d | count, sum session.event_count by session.event_count');
    expect(rows).to.deep.equal([
      ['1', 79_997, 79_997],
      ['2', 3, 6],
    ]);
    const own = 'x | last 20 d | where session.duration >= 10.002 | count, max session.duration by session.event_count';
    expect(ask(shard, own).rows).to.deep.equal([['2', 6, 90]]);
    const filtered = 'sessions | from 2026-03-20T00:01:30 to 2026-03-21 | count, max session.event_count';
    expect(ask(shard, filtered).rows, 'they began before the range').to.deep.equal([[0, null]]);
  });

  it('are the same after queries that were stopped anywhere', () => {
    const shard = new MemoryShard(events, [], { segmentOf: ({ arrival }) => arrival % 4 });
    for (const [at, query] of QUERIES.entries()) {
      for (let stopAt = 1; stopAt < 400; stopAt = Math.ceil(stopAt * 1.7)) {
        let looks = 0;
        const checkpoint = (): void => {
          if (++looks === stopAt) throw new QueryStopped();
        };
        try {
          ask(shard, query, { checkpoint });
        } catch (error) {
          expect(error).to.be.instanceOf(QueryStopped);
        }
      }
      expect(sameAnswer(ask(shard, query), expected[at]!), query).to.equal(true);
    }
  });

  it('take their memory from the budget', () => {
    for (const query of QUERIES) {
      const refused = (): unknown => ask(whole, query, { memory: 20_000 });
      expect(refused, query).to.throw(AppError, 'memory');
    }
  });

  it('of another project with the same ids change nothing', async () => {
    const subject = new PartsSubject();
    const context = { now: NOW, timezone: null, limit: 100, offset: 0 };
    const world = (users: readonly string[]) => [
      {
        at: NOW,
        track: users.map((user_id, at) => ({
          event_type: 'a',
          user_id,
          session_id: 's',
          time: new Date(START + at * MINUTE).toISOString(),
        })),
      },
    ];
    try {
      const plans = compile('sessions | last 20 d | count, unique, max session.event_count', context, []);
      await subject.load(world(['ann', 'bob', 'cid']));
      await subject.query(plans);
      await subject.load(world(['dan']));
      expect((await subject.query(plans)).rows).to.deep.equal([[1, 1, 1]]);
    } finally {
      subject.close();
    }
  });
});

describe('parameters of URLs', () => {
  const cases = [
    ['https://a.example/?utm_source=x&utm_source=y', 'x'],
    ['https://a.example/?utm%5Fsource=x', 'x'],
    ['https://a.example/?utm_so\turce=x', 'x'],
    ['https://a.example/?q=1#utm_source=x', ''],
    ['https://a.example/utm_source=x', ''],
    ['?utm_source=x', ''],
    ['https://a.example/?utm_source=a+b%20c', 'a b c'],
    ['https://a.example/?UTM_SOURCE=x', 'x'],
  ] as const;
  for (const [url, value] of cases) {
    it(`of ${JSON.stringify(url)} have ${JSON.stringify(value)}`, () => {
      expect(parameterOf(url, 'utm_source')).to.equal(value);
    });
  }
});

function ask(shard: MemoryShard, query: string, options: Partial<RunOptions> = {}): Table {
  const { optimized } = compile(query, { now: NOW, timezone: null, limit: 1_000, offset: 0 }, []);
  const partOf = runsInOnePart(optimized) ? (): number => 0 : (options.partOf ?? ((): number => 0));
  return runPlan(optimized, shard, shard.snapshot(), { ...options, partOf }).table;
}

function print({ rows, total }: Table): string {
  return `${total} rows\n${rows.map((row) => JSON.stringify(row)).join('\n')}`;
}

function isProperty(key: string): boolean {
  return key.startsWith('p:') || key.startsWith('_');
}

function event(arrival: number, time: number, sessionId: string | null): MemoryEvent {
  return {
    ...{ arrival, time, type: 'x', userId: 'u', deviceId: null, sessionId, insertId: `i${arrival}` },
    ...{ properties: {}, userProperties: {}, enriched: {}, distinctId: 'u' },
  };
}

/** Ten hours of 300 sessions with changing persons, pages and campaigns; some events have no session or no person. */
function manyEvents(count: number): MemoryEvent[] {
  let state = 12_345;
  const random = (below: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  return Array.from({ length: count }, (_, arrival) => {
    const person = random(12) === 0 ? null : `u${random(40)}`;
    const time = START + Math.floor((arrival / count) * 600) * MINUTE + random(4) * 1_000;
    const near = Math.floor((arrival / count) * 300);
    const page = random(3) === 0 ? null : `/p${random(5)}`;
    const campaign = [undefined, undefined, '', 'mail', 42, null][random(6)];
    return {
      ...event(arrival, time, random(15) === 0 ? null : `s${Math.max(0, near - random(12))}`),
      type: ['a', 'b', 'c'][random(3)]!,
      userId: person,
      distinctId: person,
      properties: {
        ...(campaign === undefined ? {} : { utm_source: campaign }),
        ...(page === null ? {} : { url: `https://a.example${page}?utm_source=${['', 'ad'][random(2)]}` }),
        n: random(4),
      },
      enriched: page === null ? {} : { _path: page },
    };
  });
}
