import { expect } from 'chai';
import fc from 'fast-check';
import { nthGreatest, percentile } from '../../../lib/workers/metrics/percentile.ts';

/** No two are farther apart than floats reach; those that are have a test of their own. */
const number = fc.oneof(fc.double({ noNaN: true, min: -8e307, max: 8e307 }), fc.integer({ min: -3, max: 3 }));

/** numpy's default: linear between the closest ranks of the sorted values. */
function plain(values: readonly number[], p: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const rank = ((sorted.length - 1) * p) / 100;
  const [low, high] = [sorted[Math.floor(rank)]!, sorted[Math.ceil(rank)]!];
  const share = rank - Math.floor(rank);
  return share < 0.5 ? low + (high - low) * share : high - (high - low) * (1 - share);
}

describe('percentile', () => {
  it('is linear between the closest ranks', () => {
    expect(percentile([Float64Array.of(4, 1, 3, 2)], 50)).to.equal(2.5);
    expect(percentile([Float64Array.of(4, 1, 3, 2)], 75)).to.equal(3.25);
    expect(percentile([Float64Array.of(7)], 99)).to.equal(7);
  });

  it('is measured from the nearer rank', () => {
    expect(percentile([Float64Array.of(0.2, 1000)], 50)).to.equal(500.1);
    expect(percentile([Float64Array.of(0.1, 0.7)], 25)).to.equal(0.25);
    expect(percentile([Float64Array.of(0.1, 0.7)], 75)).to.equal(0.5499999999999999);
  });

  it('is that of the sorted values, for few of them', () => {
    fc.assert(
      fc.property(fc.array(number, { minLength: 1, maxLength: 50 }), fc.integer({ min: 1, max: 99 }), (values, p) => {
        const found = percentile([Float64Array.from(values)], p);
        expect(found + 0).to.equal(plain(values, p) + 0);
      }),
    );
  });

  it('is between numbers farther apart than floats reach', () => {
    const ends = Float64Array.of(-Number.MAX_VALUE, Number.MAX_VALUE);
    expect(percentile([ends.slice()], 50)).to.equal(0);
    expect(percentile([ends.slice()], 75) / Number.MAX_VALUE).to.be.closeTo(0.5, 1e-15);
    expect(percentile([Float64Array.of(-3e292, Number.MAX_VALUE)], 1) / 1e306).to.be.closeTo(1.797693, 1e-6);
  });

  it('is that of runs together', () => {
    const runs = [Float64Array.of(4, 1), Float64Array.of(3), Float64Array.of(2)];
    expect([50, 75].map((p) => percentile(runs, p))).to.deep.equal([2.5, 3.25]);
  });

  it('is that of the sorted values, for many of them, in a part of an array', () => {
    const shapes: readonly ((i: number) => number)[] = [
      (i) => Math.sin(i) * 1e6,
      (i) => Math.exp((i % 97) / 3) - 5,
      (i) => (i % 7) - 3,
      (i) => (i % 2 === 0 ? -0 : 1e-310 * i),
      () => 42,
    ];
    for (const shape of shapes) {
      const values = Array.from({ length: 10_000 }, (_, i) => shape(i));
      for (const p of [1, 50, 95, 99]) {
        const padded = Float64Array.from([-1e300, ...values, 1e300]);
        expect(percentile([padded.subarray(1, -1)], p) + 0).to.equal(plain(values, p) + 0);
        const runs = [padded.subarray(1, 4_000), padded.subarray(4_000, 4_001), padded.subarray(4_001, -1)];
        expect(percentile(runs, p) + 0).to.equal(plain(values, p) + 0);
      }
    }
  });

  it('finds the n-th greatest and leaves the values as they are', () => {
    const values = Float64Array.of(3, NaN, 5, 1, 5);
    expect([1, 2, 3, 4, 5].map((n) => nthGreatest(values, n))).to.deep.equal([5, 5, 3, 1, -Infinity]);
    expect(values[0]).to.equal(3);
  });
});
