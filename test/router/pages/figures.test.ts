import { expect } from 'chai';
import { brief, bytes, day, dollars, duration, minute, monthName, whole } from '../../../lib/router/pages/figures.ts';

describe('figures on pages', () => {
  it('are numbers that people read', () => {
    expect([whole(1_234_567), whole(0.6), brief(950), brief(1_234_567)]).to.deep.equal([
      '1,234,567',
      '1',
      '950',
      '1.2M',
    ]);
  });

  it('are dollars, with cents where there are any', () => {
    expect([0, 75, 11.725, 0.00001].map(dollars)).to.deep.equal(['$0', '$75', '$11.73', '$0.00']);
  });

  it('are sizes and durations with their unit', () => {
    expect([0, 1_023, 1_024, 5_242_880, 1.5 * 1_024 ** 4].map(bytes)).to.deep.equal([
      '0 bytes',
      '1,023 bytes',
      '1 KiB',
      '5 MiB',
      '1.5 TiB',
    ]);
    expect([900, 25_000, 90_000, 600_000].map(duration)).to.deep.equal(['900 ms', '25 s', '90 s', '10 min']);
  });

  it('are times of UTC', () => {
    const time = Date.parse('2026-11-21T23:59:30Z');
    expect([day(time), minute(time), monthName('2026-02')]).to.deep.equal([
      '21 Nov 2026',
      '21 Nov 2026, 23:59',
      'February 2026',
    ]);
  });
});
