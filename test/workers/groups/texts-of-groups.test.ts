import { expect } from 'chai';
import { MemoryShard, type MemoryEvent } from '../../support/memory-reader.ts';
import { compile } from '../../support/compile.ts';
import { runPlan } from '../../support/run-plan.ts';

const START = Date.UTC(2026, 0, 1);
const USERS = 6_000;
const CONTEXT = { now: START + 3_600_000, timezone: null, limit: 100, offset: 0 };

/** Every user has one event, except the first with three and the second with two. Names are in descending order. */
const events: readonly MemoryEvent[] = [...Array(USERS).keys(), 0, 0, 1].map((user, arrival) => ({
  arrival,
  time: START + arrival,
  type: 'seen',
  userId: nameOf(user),
  deviceId: null,
  sessionId: null,
  insertId: `i${arrival}`,
  properties: {},
  userProperties: {},
  enriched: {},
  distinctId: nameOf(user),
}));

function nameOf(user: number): string {
  return `u${String(USERS - user).padStart(4, '0')}`;
}

/** The rows of an answer, and how many id texts it needed. */
function ask(
  query: string,
  parts: number,
  of: readonly MemoryEvent[] = events,
): { readonly rows: readonly unknown[]; readonly texts: number } {
  const shard = new MemoryShard(of, [], { segmentOf: ({ arrival }) => arrival % 4 });
  const ids = shard.ids();
  const textOf = ids.text.bind(ids);
  let texts = 0;
  ids.text = (code) => {
    texts++;
    return textOf(code);
  };
  // So that comparing texts does not count as reading one.
  ids.compare = (a, b) => (textOf(a) < textOf(b) ? -1 : 1);
  const { optimized } = compile(query, CONTEXT, []);
  const { table } = runPlan(optimized, shard, shard.snapshot(), { partOf: ({ id }) => id % parts });
  return { rows: table.rows, texts };
}

describe('texts of groups', () => {
  for (const parts of [1, 2, 4]) {
    it(`are made for the rows of the answer alone, ties too, in ${parts} part(s)`, () => {
      const { rows, texts } = ask('* | last 1d | count by user_id | top 4', parts);
      expect(rows).to.deep.equal([
        ['u6000', 3],
        ['u5999', 2],
        ['u0001', 1],
        ['u0002', 1],
      ]);
      expect(texts).to.be.at.most(2 * rows.length);
    });
  }

  for (const parts of [1, 2, 4]) {
    it(`are made for the first days alone, which come first, in ${parts} part(s)`, () => {
      const [days, perDay] = [30, USERS / 30];
      const times = events
        .slice(0, USERS)
        .map((event, nth) => ({ ...event, time: START - Math.floor(nth / perDay) * 86_400_000 }));
      const { rows, texts } = ask('* | last 60d | count, unique by user_id, day | limit 3', parts, times);
      const first = new Date(START - (days - 1) * 86_400_000).toISOString().slice(0, 10);
      expect(rows).to.deep.equal([
        ['u0001', first, 1, 1],
        ['u0002', first, 1, 1],
        ['u0003', first, 1, 1],
      ]);
      expect(texts).to.be.at.most(2 * perDay);
    });
  }

  it('are not made to count distinct ones', () => {
    const { rows, texts } = ask('* | last 1d | unique user_id by event_type', 2);
    expect(rows).to.deep.equal([['seen', USERS]]);
    expect(texts).to.equal(0);
  });

  it('are made once for the most frequent value', () => {
    const { rows, texts } = ask('* | last 1d | mode user_id by event_type', 1);
    expect(rows).to.deep.equal([['seen', 'u6000']]);
    expect(texts).to.be.at.most(2);
  });

  it('are made for the samples of a field alone', () => {
    const { rows, texts } = ask('inspect seen | last 1d', 1);
    const samples = rows.find((row) => Array.isArray(row) && row[0] === 'user_id');
    expect(samples).to.deep.equal(['user_id', 1, 'string', USERS, ['u6000', 'u5999', 'u0001', 'u0002', 'u0003']]);
    expect(texts).to.be.at.most(2 * 6); // the same number for distinct_id
  });
});
