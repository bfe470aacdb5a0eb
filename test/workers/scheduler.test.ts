import { expect } from 'chai';
import type { Snapshot } from '../../lib/shards/shard-reader.ts';
import { isLong, isSmall, Scheduler } from '../../lib/workers/scheduler.ts';
import * as plans from '../dsl/plans.ts';
import { compile } from '../support/compile.ts';
import type { Plan } from '../../lib/dsl/plan/plan.ts';

const ROWS = 1_000_000;
const unique = plans.aggregate({
  range: { from: plans.JANUARY, to: plans.JANUARY + 40 * plans.DAY },
  metrics: [{ kind: 'unique', field: { kind: 'core', name: 'distinct_id' }, column: 'unique' }],
});

/** Segments of one day each. */
function snapshot(ids: readonly number[]): Snapshot {
  const segments = ids.map((id) => ({
    ...{ id, rows: ROWS },
    ...{ first: plans.JANUARY + id * plans.DAY, last: plans.JANUARY + (id + 1) * plans.DAY - 1 },
  }));
  return { project: 'prj', file: '', incarnation: 1, segments, identityVersion: 1, profileVersion: 1 };
}

const FIELDS = compile('fields', { now: 0, timezone: null, limit: 100, offset: 0 }, []).optimized;
const ten = snapshot([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);

describe('Scheduler', () => {
  it('shares the segments of a range about evenly, each once', () => {
    const parts = new Scheduler(2).schedule(unique, ten);
    expect(parts.map(({ segments }) => segments.length)).to.deep.equal([5, 5]);
    const ids = parts.flatMap(({ segments }) => segments.map(({ id }) => id));
    expect(ids.toSorted((a, b) => a - b)).to.deep.equal([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it('says that what reads millions of rows takes longer than a thread to start, unless it reads no rows', () => {
    const long = (plan: Plan, days: number): boolean => isLong(plan, { segments: ten.segments.slice(0, days) });
    expect([1, 3, 10].map((days) => long(unique, days))).to.deep.equal([false, false, true]);
    const count = plans.aggregate({ range: unique.range, metrics: [{ kind: 'count', column: 'count' }] });
    expect(long(count, 10)).to.equal(false);
  });

  it('shares a part of the range about evenly, too', () => {
    const narrow = { ...unique, range: { from: plans.JANUARY + 4 * plans.DAY, to: plans.JANUARY + 8 * plans.DAY } };
    const parts = new Scheduler(2).schedule(narrow, ten);
    expect(parts.map(({ segments }) => segments.length)).to.deep.equal([2, 2]);
  });

  it('reads a segment on the same thread every time, also after others came and went', () => {
    const scheduler = new Scheduler(2);
    const threadOf = (of: Snapshot): Map<number, number> =>
      new Map(scheduler.schedule(unique, of).flatMap(({ thread, segments }) => segments.map(({ id }) => [id, thread])));
    const before = threadOf(ten);
    const after = threadOf(snapshot([2, 3, 4, 5, 6, 7, 8, 9, 10, 11]));
    for (const id of [2, 3, 4, 5, 6, 7, 8, 9]) expect(after.get(id)).to.equal(before.get(id));
  });

  it('leaves out segments beside the range', () => {
    const narrow = { ...unique, range: { from: plans.JANUARY + 3 * plans.DAY, to: plans.JANUARY + 4 * plans.DAY } };
    const parts = new Scheduler(2).schedule(narrow, ten);
    expect(parts.flatMap(({ segments }) => segments.map(({ id }) => id))).to.deep.equal([3]);
  });

  it('lets every thread read all segments where it is the fields that are shared', () => {
    const { range } = unique;
    const parts = new Scheduler(2).schedule({ ...FIELDS, range }, ten);
    expect(parts.map(({ segments }) => segments.length)).to.deep.equal([10, 10]);
    expect(parts.map(({ slice }) => slice)).to.deep.equal([
      { index: 0, of: 2 },
      { index: 1, of: 2 },
    ]);
    expect(new Set(parts.map(({ thread }) => thread)).size).to.equal(2);
  });

  it('runs on one thread what is small, what reads no rows, and what has nothing to read', () => {
    const scheduler = new Scheduler(2);
    const small = { ...ten, segments: ten.segments.map((segment) => ({ ...segment, rows: 10 })) };
    const counted = { ...unique, metrics: [plans.count], groups: [plans.byTime('day')] };
    for (const [plan, of] of [
      [unique, small],
      [counted, ten],
      [unique, { ...ten, segments: [] }],
    ] as const) {
      expect(scheduler.schedule(plan, of)).to.have.length(1);
    }
  });

  it('knows a small question by its rows, of which it may read more where each takes little', () => {
    const small = (plan: Plan, rows: number): boolean => isSmall(plan, [{ segments: [{ ...ten.segments[0]!, rows }] }]);
    const counted = { ...unique, metrics: [plans.count], groups: [plans.byField('browser')] };
    expect([counted, FIELDS].map((plan) => small(plan, 49_000))).to.deep.equal([true, true]);
    expect([counted, FIELDS].map((plan) => small(plan, 100_000))).to.deep.equal([true, false]);
    expect(small(counted, 1_000_000)).to.equal(false);
    expect(small({ ...counted, groups: [] }, 1_000_000), 'places of rows alone').to.equal(true);
  });

  it('takes a question of many expressions for a large one', () => {
    const expressions = (count: number): Plan => {
      const tests = Array.from({ length: count }, (_, nth) => `event_properties.path ~ "${nth}.*x"`).join(' or ');
      return compile(`* | where ${tests} | count`, { now: plans.JANUARY, timezone: null, limit: 100, offset: 0 }, [])
        .optimized;
    };
    const small = (count: number): boolean =>
      isSmall(expressions(count), [{ segments: [{ ...ten.segments[0]!, rows: 10_000 }] }]);
    expect([small(1), small(20)]).to.deep.equal([true, false]);
  });
});
