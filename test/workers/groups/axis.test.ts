import { expect } from 'chai';
import { axisOf } from '../../../lib/workers/groups/axis.ts';
import { CALENDAR_PARTS } from '../../../lib/dsl/time/calendar-parts.ts';
import { findZone } from '../../../lib/dsl/time/zone.ts';
import type { Group } from '../../../lib/dsl/plan/plan.ts';

const RANGE = { from: Date.UTC(2026, 8, 1), to: Date.UTC(2026, 10, 1) };
const WEEK: Group = { kind: 'bucket', unit: 'week', column: 'week' };
const MONTH: Group = { kind: 'part', part: 'month_of_year', column: 'month_of_year' };
const WEEKDAY: Group = { kind: 'part', part: 'weekday', column: 'weekday' };

const { weekday, month_of_year: months } = CALENDAR_PARTS;
const [WEEKDAYS, MONTHS] = [weekday.labels, months.labels];

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

  it('has as many buckets as there are combinations of labels, of many groups of hours in many years', () => {
    const years = { from: Date.UTC(2020, 0, 1), to: Date.UTC(2026, 0, 1) };
    const hours: Group = { kind: 'part', part: 'hour_of_day', column: 'hour_of_day' };
    const days: Group = { kind: 'part', part: 'day_of_month', column: 'day_of_month' };
    const groups = [hours, WEEKDAY, days, MONTH];
    const axis = axisOf(groups, years, findZone('UTC')!);
    const { starts, bucketOf, count } = axis;
    const printed = (bucket: number): string => groups.map((_, nth) => axis.label(nth, bucket)).join();
    expect(new Set(Array.from({ length: count }, (_, bucket) => printed(bucket))).size).to.equal(count);
    for (const cut of [0, 1, 5_000, 50_000]) {
      const date = new Date(starts![cut]!);
      const parts = [date.getUTCHours(), (date.getUTCDay() + 6) % 7, date.getUTCDate(), date.getUTCMonth()];
      const own = printed(bucketOf![cut]!).split(',');
      expect([Number(own[0]), Number(own[2])]).to.deep.equal([parts[0], parts[2]]);
      expect([own[1], own[3]]).to.deep.equal([WEEKDAYS[parts[1]!], MONTHS[parts[3]!]]);
    }
  });

  it('has one bucket for cuts that are printed alike', () => {
    const { starts, bucketOf, count } = of(WEEKDAY);
    expect([starts?.length, count]).to.deep.equal([61, 7]);
    expect([...bucketOf!.subarray(0, 9)]).to.deep.equal([0, 1, 2, 3, 4, 5, 6, 0, 1]);
  });
});
