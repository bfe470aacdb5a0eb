import { HOUR_MS } from '../../../lib/base/day.ts';
import { expect } from 'chai';
import fc from 'fast-check';
import { AppError } from '../../../lib/base/errors.ts';
import type { TimeUnit } from '../../../lib/dsl/time/units.ts';
import {
  bucketIndex,
  bucketLabel,
  bucketsOf,
  bucketStart,
  countBuckets,
  lastLabels,
  nextBucket,
} from '../../../lib/dsl/time/buckets.ts';
import { localDate } from '../../../lib/dsl/time/calendar.ts';
import { utcOfLocal } from '../../../lib/dsl/time/zone.ts';
import { zone } from './zones.ts';

function labels(unit: TimeUnit, zoneName: string, from: string, to: string): readonly string[] {
  return bucketsOf({ from: Date.parse(from), to: Date.parse(to) }, unit, zone(zoneName)).labels;
}

/** Hours in the day of this date. */
function dayLength(zoneName: string, year: number, month: number, day: number): number {
  const place = zone(zoneName);
  const start = bucketStart(place, 'day', utcOfLocal(place, localDate(year, month, day) + 12 * HOUR_MS));
  return (nextBucket(place, 'day', start) - start) / HOUR_MS;
}

describe('countBuckets', () => {
  const zones = ['UTC', 'Europe/Berlin', 'Australia/Lord_Howe', 'America/Sao_Paulo', 'Pacific/Apia', 'Africa/Monrovia'];
  const units = ['hour', 'day', 'week', 'sunday_week', 'month', 'quarter', 'year'] as const;

  it('counts what bucketsOf has, and lastLabels has the last of these', () => {
    const from = fc.integer({ min: Date.UTC(1955, 0, 1), max: Date.UTC(2030, 0, 1) });
    const hours = fc.oneof(fc.integer({ min: 0, max: 100 }), fc.integer({ min: 0, max: 9_000 }));
    fc.assert(
      fc.property(from, hours, fc.constantFrom(...units), fc.constantFrom(...zones), (start, length, unit, name) => {
        const range = { from: start, to: start + length * HOUR_MS };
        const { labels: all } = bucketsOf(range, unit, zone(name));
        expect(countBuckets(range, unit, zone(name))).to.equal(all.length);
        for (const count of [0, 1, 3].filter((some) => some <= all.length))
          expect(lastLabels(range, count, unit, zone(name))).to.deep.equal(all.slice(all.length - count));
      }),
    );
  });
});

describe('bucketsOf', () => {
  it('has every bucket that shares an instant with the range, cut ones at both ends too', () => {
    expect(labels('day', 'UTC', '2026-01-30T23:59:59.999Z', '2026-02-02T00:00:00.001Z')).to.deep.equal([
      '2026-01-30',
      '2026-01-31',
      '2026-02-01',
      '2026-02-02',
    ]);
    expect(labels('day', 'UTC', '2026-01-30T00:00:00Z', '2026-02-01T00:00:00Z')).to.deep.equal([
      '2026-01-30',
      '2026-01-31',
    ]);
  });

  it('makes those of a range once, whatever other units are asked for', () => {
    const range = { from: Date.UTC(2026, 0, 30), to: Date.UTC(2026, 0, 31) };
    const days = bucketsOf(range, 'day', zone('UTC'));
    bucketsOf(range, 'hour', zone('UTC'));
    expect(bucketsOf(range, 'day', zone('UTC'))).to.equal(days);
  });

  it('has starts that may precede the range', () => {
    const range = { from: Date.parse('2026-01-30T10:00:00Z'), to: Date.parse('2026-01-31T10:00:00Z') };
    const { starts } = bucketsOf(range, 'day', zone('UTC'));
    expect([...starts]).to.deep.equal([Date.UTC(2026, 0, 30), Date.UTC(2026, 0, 31)]);
  });

  it('starts weeks on Monday, quarters in January, April, July and October', () => {
    expect(labels('week', 'UTC', '2026-01-01T00:00:00Z', '2026-01-13T00:00:00Z')).to.deep.equal([
      '2025-12-29',
      '2026-01-05',
      '2026-01-12',
    ]);
    expect(labels('month', 'UTC', '2026-01-15T00:00:00Z', '2026-03-01T00:00:00.001Z')).to.deep.equal([
      '2026-01-01',
      '2026-02-01',
      '2026-03-01',
    ]);
    expect(labels('quarter', 'UTC', '2025-12-31T00:00:00Z', '2026-05-01T00:00:00Z')).to.deep.equal([
      '2025-10-01',
      '2026-01-01',
      '2026-04-01',
    ]);
    expect(labels('year', 'Europe/Berlin', '2025-12-31T22:59:59Z', '2025-12-31T23:00:01Z')).to.deep.equal([
      '2025-01-01',
      '2026-01-01',
    ]);
  });

  it('prints hours with their offset', () => {
    expect(labels('hour', 'UTC', '2026-11-20T14:10:00Z', '2026-11-20T15:10:00Z')).to.deep.equal([
      '2026-11-20T14:00:00Z',
      '2026-11-20T15:00:00Z',
    ]);
    expect(labels('hour', 'Asia/Kathmandu', '2026-11-20T14:10:00Z', '2026-11-20T14:20:00Z')).to.deep.equal([
      '2026-11-20T19:00:00+05:45',
      '2026-11-20T20:00:00+05:45',
    ]);
  });

  it('keeps the two hours of autumn apart, and has no hour of spring that no clock showed', () => {
    expect(labels('hour', 'Europe/Berlin', '2026-10-25T00:00:00Z', '2026-10-25T02:00:00Z')).to.deep.equal([
      '2026-10-25T02:00:00+02:00',
      '2026-10-25T02:00:00+01:00',
    ]);
    expect(labels('hour', 'Europe/Berlin', '2026-03-29T00:00:00Z', '2026-03-29T02:00:00Z')).to.deep.equal([
      '2026-03-29T01:00:00+01:00',
      '2026-03-29T03:00:00+02:00',
    ]);
  });

  it('begins an hour where the offset changes within one', () => {
    expect(labels('hour', 'Australia/Lord_Howe', '2026-04-04T14:00:00Z', '2026-04-04T16:00:00Z')).to.deep.equal([
      '2026-04-05T01:00:00+11:00',
      '2026-04-05T01:00:00+10:30',
      '2026-04-05T02:00:00+10:30',
    ]);
    expect(labels('hour', 'Australia/Lord_Howe', '2026-10-03T14:30:00Z', '2026-10-03T17:00:00Z')).to.deep.equal([
      '2026-10-04T01:00:00+10:30',
      '2026-10-04T02:00:00+11:00',
      '2026-10-04T03:00:00+11:00',
    ]);
  });

  it('knows days of 23, 23.5, 24.5 and 25 hours', () => {
    expect(dayLength('Europe/Berlin', 2026, 3, 29)).to.equal(23);
    expect(dayLength('Europe/Berlin', 2026, 10, 25)).to.equal(25);
    expect(dayLength('Australia/Lord_Howe', 2026, 10, 4)).to.equal(23.5);
    expect(dayLength('Australia/Lord_Howe', 2026, 4, 5)).to.equal(24.5);
  });

  it('starts a day without midnight at its first instant', () => {
    const saoPaulo = zone('America/Sao_Paulo');
    const start = bucketStart(saoPaulo, 'day', utcOfLocal(saoPaulo, localDate(2018, 11, 4) + 12 * HOUR_MS));
    expect(new Date(start).toISOString()).to.equal('2018-11-04T03:00:00.000Z');
    expect(bucketLabel(saoPaulo, 'day', start)).to.equal('2018-11-04');
    expect(dayLength('America/Sao_Paulo', 2018, 11, 4)).to.equal(23);
    expect(dayLength('Africa/Cairo', 2026, 4, 24)).to.equal(23);
  });

  it('has no bucket for a day that was skipped', () => {
    expect(labels('day', 'Pacific/Apia', '2011-12-29T10:00:00Z', '2012-01-01T00:00:00Z')).to.deep.equal([
      '2011-12-29',
      '2011-12-31',
      '2012-01-01',
    ]);
  });

  it('counts the evening that clocks show again as the day that had begun', () => {
    const stJohns = zone('America/St_Johns');
    const sunday = utcOfLocal(stJohns, localDate(2006, 10, 29));
    const again = sunday + 30 * 60_000; // the clock shows 23:30 of Saturday
    expect(bucketStart(stJohns, 'day', again)).to.equal(sunday);
    expect(dayLength('America/St_Johns', 2006, 10, 29)).to.equal(25);
    expect(dayLength('America/St_Johns', 2006, 10, 28)).to.equal(24);
  });

  it('has no bucket for an empty range', () => {
    expect(labels('day', 'UTC', '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z')).to.deep.equal([]);
  });

  it('refuses more than a million buckets', () => {
    const range = { from: 0, to: 1_000_001 * HOUR_MS };
    expect(() => bucketsOf(range, 'hour', zone('UTC'))).to.throw(AppError, 'choose a shorter range or a longer bucket');
  });

  it('partitions any range in any zone', () => {
    const place = fc.constantFrom(
      ...['Europe/Berlin', 'Australia/Lord_Howe', 'America/St_Johns', 'Pacific/Apia', 'Africa/Casablanca', 'Asia/Gaza'],
      ...['Africa/Monrovia', 'America/Sao_Paulo', 'Pacific/Kwajalein', 'UTC'],
    );
    const unit = fc.constantFrom<TimeUnit>('hour', 'day', 'week', 'month', 'quarter', 'year');
    const from = fc.integer({ min: Date.UTC(1900, 0, 1), max: Date.UTC(2100, 0, 1) });
    const length = fc.integer({ min: 1, max: 400 * 24 * HOUR_MS });
    fc.assert(
      fc.property(
        place,
        unit,
        from,
        length,
        fc.double({ min: 0, max: 1, noNaN: true }),
        (name, by, start, size, at) => {
          const where = zone(name);
          const range = { from: start, to: start + size };
          const { starts, labels: names } = bucketsOf(range, by, where);
          expect(starts[0]).to.equal(bucketStart(where, by, range.from));
          expect(nextBucket(where, by, starts.at(-1) ?? NaN)).to.be.at.least(range.to);
          expect(new Set(names).size).to.equal(starts.length);
          starts.forEach((bucket, index) => {
            expect(names[index]).to.equal(bucketLabel(where, by, bucket));
            if (index > 0) {
              expect(bucket).to.be.greaterThan(starts[index - 1] ?? NaN);
              expect(bucket).to.equal(nextBucket(where, by, starts[index - 1] ?? NaN));
              expect(bucketStart(where, by, bucket - 1)).to.equal(starts[index - 1]);
            }
          });
          const moment = range.from + Math.floor(at * (size - 1));
          const index = bucketIndex(starts, moment);
          expect(starts[index]).to.equal(bucketStart(where, by, moment));
          expect(moment).to.be.lessThan(nextBucket(where, by, starts[index] ?? NaN));
        },
      ),
      { numRuns: 150 },
    );
  });
});
