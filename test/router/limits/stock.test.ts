import { expect } from 'chai';
import { Stock } from '../../../lib/router/limits/stock.ts';

describe('a stock', () => {
  it('has what it began with, and fills up slowly, for each id by itself', () => {
    let now = 5;
    const stock = new Stock(100, 10, () => now);
    stock.draw('a', 99);
    expect([stock.has('a'), stock.has('b')]).to.deep.equal([true, true]);
    stock.draw('a', 101); // more than there is: twice a stock is gone
    expect([stock.has('a'), stock.has('b')]).to.deep.equal([false, true]);
    now += 10 * 60_000;
    expect(stock.has('a')).to.equal(false);
    now += 1;
    expect(stock.has('a')).to.equal(true);
    now += 10 * 60_000;
    stock.draw('a', 99);
    expect(stock.has('a')).to.equal(true);
    stock.draw('a', 1);
    expect(stock.has('a')).to.equal(false);
  });

  it('of 0 has no end', () => {
    const stock = new Stock(0, 10);
    stock.draw('a', 1e9);
    expect(stock.has('a')).to.equal(true);
  });
});
