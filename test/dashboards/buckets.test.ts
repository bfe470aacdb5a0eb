import { expect } from 'chai';
import { bucketAt, bucketsOf, isCut, wallTimeIn } from '../../console/dashboard/buckets.ts';

const range = (from: string, to: string): { from: string; to: string; timezone: string } => ({ from, to, timezone: 'Europe/Berlin' }); // prettier-ignore

describe('buckets of charts', () => {
  it('have moments by the clock of a zone, at midnight and over a change of the clock too', () => {
    expect(wallTimeIn('Asia/Tokyo', '2026-11-20T15:00:00.000Z')).to.equal('2026-11-21T00:00');
    expect(wallTimeIn('Europe/Berlin', '2026-10-25T01:30:00.000Z')).to.equal('2026-10-25T02:30');
    expect(wallTimeIn('UTC', '1970-01-01T00:00:59.999Z')).to.equal('1970-01-01T00:00');
  });

  it('are all of a range, from the one it starts in, over a change of the clock too', () => {
    const autumn = range('2026-10-24T12:00:00.000+02:00', '2026-10-27T00:00:00.000+01:00');
    expect(bucketsOf('day', autumn, '2026-10-25')).to.deep.equal(['2026-10-24', '2026-10-25', '2026-10-26']);
    const weeks = range('2026-10-21T00:00:00.000+02:00', '2026-11-03T08:00:00.000+01:00');
    expect(bucketsOf('week', weeks, '2026-10-26')).to.deep.equal(['2026-10-19', '2026-10-26', '2026-11-02']);
    expect(bucketsOf('week', weeks, '2026-11-01'), 'from Sunday').to.deep.equal([
      '2026-10-18',
      '2026-10-25',
      '2026-11-01',
    ]);
    const year = range('2025-12-31T00:00:00.000+01:00', '2026-02-01T00:00:00.000+01:00');
    expect(bucketsOf('month', year, '2026-01-01')).to.deep.equal(['2025-12-01', '2026-01-01']);
    expect(bucketsOf('quarter', year, '2026-01-01')).to.deep.equal(['2025-10-01', '2026-01-01']);
    expect(bucketsOf('year', year, '2026-01-01')).to.deep.equal(['2025-01-01', '2026-01-01']);
  });

  it('have the times from their start to the start of the next one, and no others', () => {
    const days = ['2026-10-24', '2026-10-25', '2026-10-27'];
    expect(bucketAt('day', days, '2026-10-24T00:00')).to.equal(0);
    expect(bucketAt('day', days, '2026-10-25T23:59')).to.equal(1);
    for (const outside of ['2026-10-23T23:59', '2026-10-26T00:00', '2026-10-28T00:00'])
      expect(bucketAt('day', days, outside), outside).to.equal(-1);
    expect(bucketAt('week', ['2026-10-19', '2026-10-26'], '2026-11-01T12:00')).to.equal(1);
    expect(bucketAt('quarter', ['2026-07-01', '2026-10-01'], '2027-01-01T00:00')).to.equal(-1);
    const hours = ['2026-10-25T01:00:00+02:00', '2026-10-25T02:00:00+02:00'];
    expect(bucketAt('hour', hours, '2026-10-25T02:59')).to.equal(1);
    expect(bucketAt('hour', hours, '2026-10-25T03:00')).to.equal(-1);
    expect(bucketAt('day', [], '2026-10-25T03:00')).to.equal(-1);
  });

  it('are cut where the range begins after their start or ends before their end, by the clock of the query', () => {
    const autumn = range('2026-10-24T12:00:00.000+02:00', '2026-10-26T00:00:00.000+01:00');
    expect(isCut('day', '2026-10-24', autumn)).to.equal(true);
    expect(isCut('day', '2026-10-25', autumn)).to.equal(false); // a day of 25 hours
    expect(isCut('week', '2026-10-19', autumn)).to.equal(true);
    const hours = range('2026-10-25T00:30:00.000+02:00', '2026-10-25T03:00:00.000+01:00');
    expect(isCut('hour', '2026-10-25T00:00:00+02:00', hours)).to.equal(true);
    expect(isCut('hour', '2026-10-25T02:00:00+02:00', hours)).to.equal(false);
    expect(isCut('hour', '2026-10-25T02:00:00+01:00', hours)).to.equal(false);
  });
});
