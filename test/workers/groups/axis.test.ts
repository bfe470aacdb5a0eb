import { expect } from 'chai';
import { axisOf } from '../../../lib/workers/groups/axis.ts';
import { findZone } from '../../../lib/dsl/time/zone.ts';
import type { Group } from '../../../lib/dsl/plan/plan.ts';

const RANGE = { from: Date.UTC(2026, 8, 1), to: Date.UTC(2026, 10, 1) };
const WEEK: Group = { kind: 'bucket', unit: 'week', column: 'week' };
const MONTH: Group = { kind: 'part', part: 'month_of_year', column: 'month_of_year' };
const WEEKDAY: Group = { kind: 'part', part: 'weekday', column: 'weekday' };

describe('the axis of time', () => {
  const of = (...groups: Group[]) => axisOf(groups, RANGE, findZone('UTC')!);

  it('has its buckets in order of time where none comes again, so that sets of those that are over need not be kept', () => {
    for (const groups of [[WEEK], [MONTH], [WEEK, MONTH]]) {
      const { starts, bucketOf, count } = of(...groups);
      expect([bucketOf, count]).to.deep.equal([null, starts?.length]);
    }
    const both = of(WEEK, MONTH);
    const labels = Array.from({ length: both.count }, (_, at) => [both.label(0, at), both.label(1, at)].join());
    expect(labels.slice(3, 6)).to.deep.equal(['2026-09-21,September', '2026-09-28,September', '2026-09-28,October']);
  });

  it('has one bucket for cuts that are printed alike', () => {
    const { starts, bucketOf, count } = of(WEEKDAY);
    expect([starts?.length, count]).to.deep.equal([61, 7]);
    expect([...bucketOf!.subarray(0, 9)]).to.deep.equal([0, 1, 2, 3, 4, 5, 6, 0, 1]);
  });
});
