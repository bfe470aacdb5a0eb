import { expect } from 'chai';
import { billFields, billOf } from '../../../lib/control/usage/price.ts';

describe('the price', () => {
  it('is exact to the millionth, where doubles are not', () => {
    const amount = (perMillion: number, stored: number): number =>
      billOf(stored, { perMillion, currency: 'EUR', freeEvents: 1_000 }).amount;
    expect([amount(0.29, 1_235_567), amount(1.1, 4_000), amount(0.000_001, 1_001)]).to.deep.equal([
      0.358_024_43, 0.0033, 1e-12,
    ]);
    expect(amount(1e9, 1e12 + 1_000)).to.equal(1e15);
    expect([amount(5, 0), amount(5, 1_000), amount(0, 9e9)]).to.deep.equal([0, 0, 0]);
  });

  it('names the amount by its currency, and makes no bill where there is none', () => {
    const price = { perMillion: 700, currency: 'JPY', freeEvents: 0 };
    expect(billFields(2_500_000, price)).to.deep.equal({ billable_events: 2_500_000, amount_jpy: 1_750 });
    expect(billFields(2_500_000, null)).to.deep.equal({});
  });
});
