import { expect } from 'chai';
import { FailureLimit } from '../../../lib/router/limits/failure-limit.ts';
import { MinuteWindow } from '../../../lib/router/limits/minute-window.ts';

describe('counting by the minute', () => {
  it('starts with the first thing that is counted, and anew after a minute', () => {
    const window = new MinuteWindow(3);
    window.add(3, 10_000);
    expect([window.left(10_000), window.rest(10_000)]).to.deep.equal([0, 60_000]);
    expect([window.left(69_999), window.rest(69_999)]).to.deep.equal([0, 1]);
    expect(window.left(70_000)).to.equal(3);
  });

  it('takes what went beyond the limit from the next minute, and forgives it after a quiet one', () => {
    const overshot = (): MinuteWindow => {
      const window = new MinuteWindow(3);
      window.add(5, 0);
      return window;
    };
    expect(overshot().left(60_000)).to.equal(1);
    expect(overshot().left(120_000)).to.equal(3);
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
