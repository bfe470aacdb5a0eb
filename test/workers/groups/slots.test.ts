import { expect } from 'chai';
import fc from 'fast-check';
import type { Field, Group } from '../../../lib/dsl/plan/plan.ts';
import * as plans from '../../dsl/plans.ts';
import type { MemoryEvent } from '../../support/memory-reader.ts';
import { MemoryShard } from '../../support/memory-reader.ts';
import { runPlan } from '../../support/run-plan.ts';

const range = { from: plans.JANUARY, to: plans.JANUARY + 3 * plans.DAY };
const group = (field: Field, column: string): Group => ({ kind: 'field', field, column });

function event(arrival: number, properties: { readonly [key: string]: unknown }): MemoryEvent {
  return {
    arrival,
    properties,
    time: plans.JANUARY + arrival * 60_000,
    ...{ type: 'e', userId: `u${arrival % 5}`, deviceId: null, sessionId: null, distinctId: `u${arrival % 5}` },
    ...{ insertId: `i${arrival}`, userProperties: {}, enriched: {} },
  };
}

/** A table's rows by their groups. */
function byGroups(rows: readonly (readonly unknown[])[], groups: number): Map<string, unknown[]> {
  return new Map(rows.map((row) => [JSON.stringify(row.slice(0, groups)), row.slice(groups)]));
}

const metrics = [
  plans.count,
  plans.sum('n'),
  { kind: 'unique', field: { kind: 'core', name: 'distinct_id' }, column: 'unique' },
  { kind: 'max', field: plans.property('n'), column: 'max' },
  { kind: 'percentile', p: 50, field: plans.property('n'), column: 'median' },
] as const;

describe('groups', () => {
  const value = fc.constantFrom('x', 'y', '42', 42, true, 'true', null, '', 1.5, undefined);

  it('come to the same through ids of one dictionary, of many, and of numbers, in segments and parts of any kind', () => {
    const rows = fc.array(fc.record({ a: value, b: value, n: value }), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(rows, fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 3 }), (all, segments, parts) => {
        const events = all.map((properties, arrival) =>
          event(arrival, JSON.parse(JSON.stringify(properties)) as MemoryEvent['properties']),
        );
        const groups = [group(plans.property('a'), 'a'), plans.byTime('day'), group(plans.property('b'), 'b')];
        const plan = plans.aggregate({ range, groups, metrics });
        const one = new MemoryShard(events, [], { segmentOf: () => 1 });
        const many = new MemoryShard(events, [], {
          segmentOf: ({ arrival }) => (arrival % segments) + 1,
          local: () => true,
        });
        const expected = runPlan(plan, one, one.snapshot(), { partOf: () => 0 });
        const actual = runPlan(plan, many, many.snapshot(), { partOf: ({ id }) => id % parts });
        expect(byGroups(actual.table.rows, 3)).to.deep.equal(byGroups(expected.table.rows, 3));
      }),
    );
  });

  it('keep what was gathered when they become too many to be laid out side by side', () => {
    // 1,600 x 1,600 combinations, new ones in each segment: first few values, then many.
    const events = Array.from({ length: 3_000 }, (_, i) =>
      event(i, { a: `a${i < 100 ? i % 3 : i % 1_600}`, b: `b${i < 100 ? i % 2 : (i * 7) % 1_600}`, n: i }),
    );
    const shard = new MemoryShard(events, [], {
      segmentOf: ({ arrival }) => (arrival < 100 ? 1 : arrival < 300 ? 2 : 3),
      local: () => true,
    });
    const groups = [group(plans.property('a'), 'a'), group(plans.property('b'), 'b')];
    const plan = { ...plans.aggregate({ range, groups, metrics }), page: { limit: 10_000, offset: 0 } };
    const { table } = runPlan(plan, shard, shard.snapshot(), { partOf: () => 0 });
    const expected = new Map<string, number>();
    for (const { properties } of events) {
      const key = JSON.stringify([properties['a'], properties['b']]);
      expected.set(key, (expected.get(key) ?? 0) + 1);
    }
    const actual = byGroups(table.rows, 2);
    expect(actual.size).to.equal(expected.size);
    for (const [key, count] of expected) expect(actual.get(key)?.[0], key).to.equal(count);
  });
});
