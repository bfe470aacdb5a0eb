import { expect } from 'chai';
import type { Cell } from '../../../../lib/dsl/plan/table.ts';
import { JANUARY } from '../../../dsl/plans.ts';
import { compile } from '../../../support/compile.ts';
import { MemoryShard, type MemoryEvent } from '../../../support/memory-reader.ts';
import { runPlan } from '../../../support/run-plan.ts';

const DAY = 86_400_000;

/** Events with ten keys each, of values of every type. */
function events(count: number, keys: number): MemoryEvent[] {
  return Array.from({ length: count }, (_, n) => {
    const own = (m: number): [string, unknown] => [`key.${(n * 10 + m) % keys}`, VALUES[(n + m) % VALUES.length]];
    return {
      ...{ arrival: n, time: JANUARY + n, type: n % 3 === 0 ? 'a' : 'b', insertId: `i${n}` },
      ...{ userId: `u${n % 7}`, deviceId: null, sessionId: null, enriched: {}, distinctId: `u${n % 7}` },
      properties: Object.fromEntries(Array.from({ length: 10 }, (_, m) => own(m))),
      userProperties: { [`plan_${n % keys}`]: n % 2 === 0 ? 'free' : null },
    };
  });
}

const VALUES = ['1', 1, true, [1, 'é'], { a: 1 }, null, '', -0.5, 'text', 'text'];

function shardOf(events: readonly MemoryEvent[], overflowed: (key: string) => boolean): MemoryShard {
  return new MemoryShard(events, [], { segmentOf: ({ arrival }) => arrival % 3, overflowed });
}

function ask(query: string, shard: MemoryShard, parts = 1): readonly (readonly Cell[])[] {
  const context = { now: JANUARY + DAY, timezone: null, limit: 10_000, offset: 0 };
  const { optimized } = compile(query, context, []);
  return runPlan(optimized, shard, shard.snapshot(), { partOf: ({ id }) => id % parts }).table.rows;
}

describe('fields without a column of their own', () => {
  it('are told as those with one, whichever they are', () => {
    const some = events(300, 40);
    for (const query of ['fields', 'inspect a', 'inspect b | where event_properties.key.3 = 1']) {
      const expected = ask(
        query,
        shardOf(some, () => false),
      );
      expect(expected.length, query).to.be.greaterThan(15);
      for (const overflowed of [() => true, (key: string) => key.endsWith('1') || key.endsWith('2')])
        for (const parts of [1, 2]) expect(ask(query, shardOf(some, overflowed), parts), query).to.deep.equal(expected);
    }
  });

  it('are found by their key, however it is written, and not where a value is like it', () => {
    const properties = [{ plain: 'x' }, { other: 'plain' }, { 'say "hi"': 'y' }, { 'back\\slash': 1 }, { 'über.all': true }, { über: { all: 2, inner: { most: 3 } } }, { '': 'none' }, { other: '' }]; // prettier-ignore
    const of = events(properties.length, 1).map((event, n) => ({ ...event, properties: properties[n]! }));
    const [own, over] = [shardOf(of, () => false), shardOf(of, () => true)];
    for (const path of ['plain', 'say "hi"', 'back\\slash', 'über.all', 'über.inner.most', 'über', 'other']) {
      const query = `* | count by event_properties.${JSON.stringify(path)}`;
      const expected = ask(query, own);
      expect(expected.length, query).to.be.greaterThan(1);
      expect(ask(query, over), query).to.deep.equal(expected);
    }
  });

  it('are read with all others of their event, however many keys the project has', () => {
    for (const query of ['fields', 'inspect a']) {
      const shard = shardOf(events(500, 5_000), () => true);
      const { parse } = JSON;
      let parsed = 0;
      JSON.parse = (...given: Parameters<typeof parse>): unknown => {
        parsed++;
        return parse(...given) as unknown;
      };
      try {
        expect(ask(query, shard).length, query).to.be.greaterThan(1_500);
      } finally {
        JSON.parse = parse;
      }
      expect(parsed, query).to.be.at.most(2 * 500); // an object of event properties, and one of user properties
    }
  });
});
