import { expect } from 'chai';
import { nextTime, scheduleProblem } from '../../lib/alerts/schedule.ts';

const next = (text: string, after: string, zone = 'UTC'): string | null => {
  const time = nextTime(text, zone, Date.parse(after));
  return time === null ? null : new Date(time).toISOString();
};
const isZone = (name: string): boolean => name !== 'Mars/Base';

describe('schedules', () => {
  it('ask at whole multiples of a period, always after the time given', () => {
    expect(next('every 1h', '2026-01-15T12:00:00.000Z')).to.equal('2026-01-15T13:00:00.000Z');
    expect(next('every 1h', '2026-01-15T12:59:59.999Z')).to.equal('2026-01-15T13:00:00.000Z');
    expect(next('every 15m', '2026-01-15T12:01:00Z')).to.equal('2026-01-15T12:15:00.000Z');
    expect(next('every 1d', '2026-01-15T12:01:00Z')).to.equal('2026-01-16T00:00:00.000Z');
  });

  it('ask at times on clocks of their zone, or of the one they are given', () => {
    expect(next('daily 09:00 Europe/Berlin', '2026-01-15T12:00:00Z')).to.equal('2026-01-16T08:00:00.000Z');
    expect(next('daily 9:00', '2026-01-15T12:00:00Z', 'America/New_York')).to.equal('2026-01-15T14:00:00.000Z');
    expect(next('weekly Monday 09:00', '2026-01-15T12:00:00Z')).to.equal('2026-01-19T09:00:00.000Z');
    expect(next('cron 30 8 1 * * Asia/Tokyo', '2026-01-15T12:00:00Z')).to.equal('2026-01-31T23:30:00.000Z');
    expect(next('cron 0 9 * * 1-5', '2026-01-16T12:00:00Z')).to.equal('2026-01-19T09:00:00.000Z');
  });

  it('come later where clocks leap over their hour, and once where they show it twice', () => {
    const spring = 'daily 02:30 Europe/Berlin'; // on 29 March 2026 clocks go from 02:00 to 03:00
    expect(next(spring, '2026-03-28T12:00:00Z')).to.equal('2026-03-29T01:00:00.000Z');
    expect(next(spring, '2026-03-29T01:00:00Z')).to.equal('2026-03-30T00:30:00.000Z');
    expect(next(spring, '2026-10-24T12:00:00Z')).to.equal('2026-10-25T00:30:00.000Z');
    expect(next(spring, '2026-10-25T00:30:00Z')).to.equal('2026-10-26T01:30:00.000Z');
  });

  it('leave no hour out that is asked for, also where clocks show one twice', () => {
    const hourly = 'cron 0 * * * * Europe/Berlin';
    const autumn = ['2026-10-25T00:00:00.000Z', '2026-10-25T01:00:00.000Z', '2026-10-25T02:00:00.000Z'];
    for (const [nth, time] of autumn.slice(1).entries()) expect(next(hourly, autumn[nth]!)).to.equal(time);
    expect(next(hourly, '2026-03-29T00:00:00Z')).to.equal('2026-03-29T01:00:00.000Z');
  });

  it('say what is wrong with them', () => {
    for (const text of ['every 1m', 'every 31d', 'daily 23:59', 'weekly sunday 00:00 UTC', 'cron */5 * * * *'])
      expect(scheduleProblem(text, isZone), text).to.equal(null);
    const wrong: readonly (readonly [string, RegExp])[] = [
      ['hourly', /there is no schedule "hourly"; write one like `every 1h`/],
      ['every', /no schedule/],
      ['every 0h', /no schedule/],
      ['every 32d', /the period of `every` is from 1m to 31d/],
      ['daily 24:00', /no schedule/],
      ['daily 9', /no schedule/],
      ['daily 09:00 Europe/Berlin now', /no schedule/],
      ['weekly someday 09:00', /no schedule/],
      ['daily 09:00 Mars/Base', /unknown time zone "Mars\/Base"/],
      ['cron 0 9 * *', /no schedule/],
      ['cron 61 9 * * *', /the cron fields are wrong: Invalid value for minute: 61/],
      ['cron 0 0 31 2 *', /has no time, ever/],
      ['', /no schedule/],
    ];
    for (const [text, problem] of wrong) expect(scheduleProblem(text, isZone), text).to.match(problem);
  });
});
