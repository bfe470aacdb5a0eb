import { expect } from 'chai';
import { FailureLimit } from '../../../lib/router/limits/failure-limit.ts';
import { RateWindow, RateWindows } from '../../../lib/router/limits/rate-limit.ts';

describe('counting by the minute', () => {
  it('starts with the first thing that is counted, and anew after a minute', () => {
    const window = new RateWindow(3);
    window.add(3, 10_000);
    expect([window.left(10_000), window.rest(10_000)]).to.deep.equal([0, 60_000]);
    expect([window.left(69_999), window.rest(69_999)]).to.deep.equal([0, 1]);
    expect(window.left(70_000)).to.equal(3);
  });

  it('takes what went beyond the limit from the next minute, and forgives it after a quiet one', () => {
    const overshot = (): RateWindow => {
      const window = new RateWindow(3);
      window.add(5, 0);
      return window;
    };
    expect(overshot().left(60_000)).to.equal(1);
    expect(overshot().left(120_000)).to.equal(3);
  });
});

describe('what comes back slowly', () => {
  it('is used up at once, also more than there is, and comes back by the minute, for each id by itself', () => {
    let now = 5;
    const windows = new RateWindows({ limit: 100, back: 10, many: 10, now: () => now });
    windows.add('a', 99);
    expect([windows.left('a'), windows.left('b')]).to.deep.equal([1, 100]);
    windows.add('a', 101);
    expect([windows.left('a'), windows.left('b')]).to.deep.equal([-100, 100]);
    now += 10 * 60_000;
    expect(windows.left('a')).to.equal(0);
    now += 59_999;
    expect(windows.left('a')).to.equal(0);
    now += 1;
    expect(windows.left('a')).to.equal(10);
    now += 20 * 60_000;
    expect(windows.left('a'), 'no more than there was').to.equal(100);
  });

  it('of 0 has no end', () => {
    const windows = new RateWindows({ limit: 0, many: 10 });
    windows.add('a', 1e9);
    expect(windows.left('a')).to.equal(Infinity);
  });
});

describe('failures of addresses', () => {
  it('are counted for each address, and for each /64 of IPv6', () => {
    const limit = new FailureLimit(1, () => 0);
    expect(limit.add('192.0.2.1')).to.equal(true);
    expect(limit.add('192.0.2.1')).to.equal(false);
    expect(limit.add('192.0.2.2')).to.equal(true);
    expect(limit.add('2001:db8::1')).to.equal(true);
    expect(limit.add('2001:db8::2')).to.equal(false);
    expect(limit.add('2001:db8:0:1::2')).to.equal(true);
  });

  it('are forgotten after a minute', () => {
    let now = 0;
    const limit = new FailureLimit(1, () => now);
    limit.add('192.0.2.1');
    now = 60_000;
    expect(limit.add('192.0.2.1')).to.equal(true);
  });

  it('of more addresses than are counted share one count', () => {
    const limit = new FailureLimit(1, () => 0);
    for (let i = 0; i < 50_000; i++) limit.add(`address ${i}`);
    expect(limit.add('new')).to.equal(true);
    expect(limit.add('newer')).to.equal(false);
  });

  it('cost no more when there are too many addresses than before', () => {
    const limit = new FailureLimit(1);
    const timeOf = (from: number, count: number): number => {
      const begun = performance.now();
      for (let i = from; i < from + count; i++) limit.add(`address ${i}`);
      return performance.now() - begun;
    };
    const counted = timeOf(0, 50_000);
    // The fastest of several: the machine may be busy in between.
    const further = [0, 1, 2, 3, 4].map((turn) => timeOf(50_000 + turn * 2_000, 2_000));
    expect(Math.min(...further)).to.be.lessThan(counted);
  });
});
