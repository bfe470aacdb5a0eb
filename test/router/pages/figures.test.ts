import { expect } from 'chai';
import {
  brief,
  bytes,
  day,
  spelledDuration,
  minute,
  money,
  monthName,
  unitPrice,
  grouped,
} from '../../../lib/router/pages/figures.ts';

describe('figures on pages', () => {
  it('are numbers that people read', () => {
    expect([grouped(1_234_567), grouped(0.6), brief(950), brief(1_234_567)]).to.deep.equal([
      '1,234,567',
      '1',
      '950',
      '1.2M',
    ]);
  });

  it('are amounts with the decimals of their currency, none where there is nothing behind the point', () => {
    const amounts = (currency: string): string[] => [0, 75, 11.7254, 0.00001].map((value) => money(value, currency));
    expect(amounts('USD')).to.deep.equal(['$0', '$75', '$11.73', '$0']);
    expect(amounts('EUR')).to.deep.equal(['€0', '€75', '€11.73', '€0']);
    expect(amounts('JPY')).to.deep.equal(['¥0', '¥75', '¥12', '¥0']);
    expect(amounts('KWD')).to.deep.equal(['KWD\u00a00', 'KWD\u00a075', 'KWD\u00a011.725', 'KWD\u00a00']);
  });

  it('are prices with all their decimals', () => {
    expect([unitPrice(5, 'USD'), unitPrice(0.0025, 'EUR'), unitPrice(0.5, 'JPY')]).to.deep.equal([
      '$5',
      '€0.0025',
      '¥0.5',
    ]);
    expect(unitPrice(4.5, 'USD')).to.equal('$4.50');
  });

  it('are sizes and durations with their unit', () => {
    expect([0, 1_023, 1_024, 5_242_880, 1.5 * 1_024 ** 4].map(bytes)).to.deep.equal([
      '0 bytes',
      '1,023 bytes',
      '1 KiB',
      '5 MiB',
      '1.5 TiB',
    ]);
    expect([900, 25_000, 90_000, 600_000].map(spelledDuration)).to.deep.equal(['900 ms', '25 s', '90 s', '10 min']);
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
