import { expect } from 'chai';
import { chiSquaredTail, sampleRatioP } from '../../../lib/dsl/plan/sample-ratio.ts';

describe('sample ratio', () => {
  it('has the tail of the chi-squared distribution', () => {
    // Quantiles as tables print them: 5 % and 0.1 % points.
    const points: readonly (readonly [number, number, number])[] = [
      [3.841458820694124, 1, 0.05],
      [10.827566170662733, 1, 0.001],
      [5.991464547107979, 2, 0.05],
      [7.814727903251178, 3, 0.05],
      [18.307038053275146, 10, 0.05],
      [0.5, 1, 0.4795001221869535],
    ];
    for (const [x, degrees, p] of points) {
      expect(chiSquaredTail(x, degrees)).to.be.closeTo(p, 1e-12);
    }
    expect(chiSquaredTail(0, 3)).to.equal(1);
    expect(chiSquaredTail(1e5, 1)).to.equal(0);
  });

  it('tests against equal shares', () => {
    expect(sampleRatioP([50, 50])).to.equal(1);
    expect(sampleRatioP([40, 60])).to.be.closeTo(0.04550026389635839, 1e-12);
    expect(sampleRatioP([100, 100, 130])).to.be.closeTo(Math.exp(-(600 / 110) / 2), 1e-12);
  });

  it('says nothing of one variant or of nobody', () => {
    expect(sampleRatioP([])).to.equal(null);
    expect(sampleRatioP([7])).to.equal(null);
    expect(sampleRatioP([0, 0])).to.equal(null);
  });
});
