import { expect } from 'chai';
import {
  brief,
  forReader,
  percent,
  bytes,
  day,
  spelledDuration,
  minute,
  money,
  monthName,
  unitPrice,
  grouped,
} from '../../../lib/router/pages/figures.ts';

/** Releases of Node differ in the blank before AM and PM. */
const plain = (text: string): string => text.replaceAll('\u202f', ' ');

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

  it('are those of the reader, the first of whose languages has figures', () => {
    const time = Date.parse('2026-11-21T23:59:30Z');
    const written = (header: string | undefined): string[] =>
      forReader(header, () => [grouped(1_234_567), percent(0.86), money(1.5, 'EUR'), plain(minute(time))]);
    expect(written('de-DE,de;q=0.9,en;q=0.8')).to.deep.equal(['1.234.567', '86\u00a0%', '1,50\u00a0€', '21.11.2026, 23:59']);
    const usual = ['1,234,567', '86%', '€1.50', 'Nov 21, 2026, 11:59 PM'];
    for (const header of [undefined, '', '*', 'xx-YY, en-US', 'a'.repeat(10_000), '<script>', 'en-u-nu-arab-x'])
      expect(written(header), header).to.deep.equal(usual);
    expect(grouped(1_234), 'outside of a page').to.equal('1,234');
  }); // prettier-ignore

  it('are times of UTC', () => {
    const time = Date.parse('2026-11-21T23:59:30Z');
    expect([day(time), plain(minute(time)), monthName('2026-02')]).to.deep.equal([
      'Nov 21, 2026',
      'Nov 21, 2026, 11:59 PM',
      'February 2026',
    ]);
  });
});
