import { expect } from 'chai';
import type { Duration } from '../../../lib/dsl/time/units.ts';
import { addDuration, fixedLength, MAX_TIME } from '../../../lib/dsl/time/duration.ts';
import { zone } from './zones.ts';

function moved(from: string, count: number, unit: Duration['unit'], zoneName = 'UTC', sign: 1 | -1 = 1): string {
  return new Date(addDuration(Date.parse(from), { count, unit }, zone(zoneName), sign)).toISOString();
}

describe('addDuration', () => {
  it('takes minutes, hours, days and weeks as lengths, whatever the zone', () => {
    expect(moved('2026-03-28T12:00:00Z', 1, 'd', 'Europe/Berlin')).to.equal('2026-03-29T12:00:00.000Z');
    expect(moved('2026-03-28T12:00:00Z', 90, 'm')).to.equal('2026-03-28T13:30:00.000Z');
    expect(moved('2026-03-28T12:00:00Z', 36, 'h', 'UTC', -1)).to.equal('2026-03-27T00:00:00.000Z');
    expect(moved('2026-03-28T12:00:00Z', 2, 'w', 'Europe/Berlin', -1)).to.equal('2026-03-14T12:00:00.000Z');
  });

  it('steps months, quarters and years on the wall clock of the zone', () => {
    expect(moved('2026-04-10T10:00:00Z', 1, 'mo', 'Europe/Berlin', -1)).to.equal('2026-03-10T11:00:00.000Z');
    expect(moved('2026-04-10T10:00:00Z', 1, 'q', 'Europe/Berlin', -1)).to.equal('2026-01-10T11:00:00.000Z');
    expect(moved('2026-04-10T10:00:00.123Z', 2, 'y', 'Europe/Berlin')).to.equal('2028-04-10T10:00:00.123Z');
  });

  it('takes the last day of a month that lacks the day', () => {
    expect(moved('2026-03-31T10:00:00Z', 1, 'mo', 'UTC', -1)).to.equal('2026-02-28T10:00:00.000Z');
    expect(moved('2024-02-29T10:00:00Z', 1, 'y')).to.equal('2025-02-28T10:00:00.000Z');
    expect(moved('2026-01-31T10:00:00Z', 13, 'mo')).to.equal('2027-02-28T10:00:00.000Z');
    expect(moved('2026-05-31T10:00:00Z', 1, 'q', 'UTC', -1)).to.equal('2026-02-28T10:00:00.000Z');
  });

  it('takes the day from the calendar of the zone, not of UTC', () => {
    // It is already the 31st in Auckland.
    expect(moved('2026-03-30T12:00:00Z', 1, 'mo', 'Pacific/Auckland', -1)).to.equal('2026-02-27T12:00:00.000Z');
  });

  it('lands after the gap where the wall clock does not exist', () => {
    expect(moved('2026-02-28T01:30:00Z', 1, 'mo', 'Europe/Berlin')).to.equal('2026-03-28T01:30:00.000Z');
    expect(moved('2026-01-29T01:30:00Z', 2, 'mo', 'Europe/Berlin')).to.equal('2026-03-29T01:00:00.000Z');
  });

  it('stops at the bounds of time', () => {
    expect(addDuration(0, { count: 1e12, unit: 'y' }, zone('Europe/Berlin'), -1)).to.equal(-MAX_TIME);
    expect(addDuration(0, { count: 1e12, unit: 'w' }, zone('UTC'), 1)).to.equal(MAX_TIME);
  });
});

describe('fixedLength', () => {
  it('is milliseconds for lengths and null for steps of the calendar', () => {
    expect(fixedLength({ count: 2, unit: 'd' })).to.equal(172_800_000);
    expect(fixedLength({ count: 1, unit: 'mo' })).to.equal(null);
  });
});
