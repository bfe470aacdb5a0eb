import { expect } from 'chai';
import {
  chiSquaredTail,
  holm,
  meanInterval,
  personsForPower,
  rateDifferenceInterval,
  rateVariance,
  type Sample,
  sampleRatioP,
  studentQuantile,
  studentTail,
  twoProportionP,
  welch,
  welchInterval,
  wilsonInterval,
} from '../../../lib/dsl/plan/statistics.ts';

/** Within a part of the wanted value, however small that is. */
const expectNear = (value: number | undefined, wanted: number, part = 1e-12): void => {
  expect(value).to.be.closeTo(wanted, Math.abs(wanted) * part);
};

const rate = (conversions: number, users: number) => ({ users, conversions });

function sampleOf(values: readonly number[]): Sample {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { count: values.length, mean, variance: values.length < 2 ? null : squares / (values.length - 1) };
}

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

describe('rates', () => {
  // Computed with Python's math.erfc.
  const tests = [
    { own: rate(120, 1000), first: rate(100, 1000), p: 0.1529177818639462 },
    { own: rate(5100, 100_000), first: rate(5000, 100_000), p: 0.30718082994388285 },
    { own: rate(1, 2), first: rate(2, 3), p: 0.7093881150142264 },
    { own: rate(900, 1000), first: rate(100, 1000), p: 2.509158096763687e-280 },
  ];
  for (const { own, first, p } of tests) {
    it(`have p = ${p} for ${own.conversions} of ${own.users} against ${first.conversions} of ${first.users}`, () => {
      expectNear(twoProportionP(own, first) ?? NaN, p, 1e-9);
    });
  }

  it('have no test where nobody, or everybody, converts', () => {
    expect(twoProportionP(rate(0, 5), rate(0, 9))).to.equal(null);
    expect(twoProportionP(rate(5, 5), rate(9, 9))).to.equal(null);
  });

  it("lie in Wilson's interval", () => {
    // R. G. Newcombe, Two-sided confidence intervals for the single proportion, Statistics in Medicine 17 (1998), table I, method 3.
    const published: readonly (readonly [number, number, number, number])[] = [
      [81, 263, 0.2553, 0.3662],
      [15, 148, 0.0624, 0.1605],
      [0, 20, 0, 0.1611],
      [1, 29, 0.0061, 0.1718],
    ];
    for (const [conversions, users, low, high] of published) {
      const interval = wilsonInterval(rate(conversions, users));
      expect([interval.low, interval.high].map((end) => end.toFixed(4))).to.deep.equal([low, high].map((end) => end.toFixed(4))); // prettier-ignore
    }
    expectNear(wilsonInterval(rate(10, 100)).low, 0.0552291370606751);
    expect(wilsonInterval(rate(1, 1)).high).to.equal(1);
    expectNear(wilsonInterval(rate(999_999, 1_000_000)).low, 0.9999943350881957);
  });

  it("differ within Newcombe's interval", () => {
    // R. G. Newcombe, Interval estimation for the difference between independent proportions, ibid., table II, method 10.
    const published: readonly (readonly [number, number, number, number, number, number])[] = [
      [56, 70, 48, 80, 0.0524, 0.3339],
      [9, 10, 3, 10, 0.1705, 0.809],
      [6, 7, 2, 7, 0.0582, 0.8062],
      [5, 56, 0, 29, -0.0381, 0.1926],
      [0, 10, 0, 20, -0.1611, 0.2775],
      [10, 10, 0, 20, 0.6791, 1],
    ];
    for (const [a, m, b, n, low, high] of published) {
      const interval = rateDifferenceInterval(rate(a, m), rate(b, n));
      expect([interval.low, interval.high].map((end) => end.toFixed(4))).to.deep.equal([low, high].map((end) => end.toFixed(4))); // prettier-ignore
    }
  });
});

describe("Student's t", () => {
  it('has the quantiles that tables print', () => {
    // NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2: upper 0.025 and 0.001 points.
    const table: readonly (readonly [number, number, number])[] = [
      [1, 12.706, 318.309],
      [2, 4.303, 22.327],
      [3, 3.182, 10.215],
      [10, 2.228, 4.144],
      [30, 2.042, 3.385],
      [100, 1.984, 3.174],
    ];
    for (const [degrees, common, rare] of table) {
      expect(studentQuantile(0.05, degrees).toFixed(3)).to.equal(common.toFixed(3));
      expect(studentQuantile(0.002, degrees)).to.be.closeTo(rare, 0.0006); // some of these are cut, not rounded
    }
    expectNear(studentQuantile(0.05, 1e12), 1.959963984540054, 1e-11);
  });

  it('has its closed forms, however small the tail is', () => {
    for (const t of [1e-9, 0.3, 1, 1.7, 1.8, 12.7, 1e4, 1e9, 1e160]) {
      expectNear(studentTail(t, 1), (2 / Math.PI) * Math.atan(1 / t));
      const root = Math.sqrt(t) * Math.sqrt(t + 2 / t); // of t² + 2, where that is beyond all floats
      expectNear(studentTail(t, 2), 2 / root / (root + t));
    }
    expectNear(studentQuantile(1e-12, 1), Math.tan((Math.PI / 2) * (1 - 1e-12)), 1e-3);
    expectNear(studentQuantile(1e-300, 1), 2 / (Math.PI * 1e-300));
    expect(studentTail(0, 7)).to.equal(1);
    expect(studentTail(Infinity, 7)).to.equal(0);
    expect(studentTail(-2, 7)).to.equal(studentTail(2, 7));
  });

  it('has tails of many degrees, and of a part of one', () => {
    // SciPy 1.17: 2 * scipy.stats.t.sf(t, degrees).
    const known: readonly (readonly [number, number, number])[] = [
      [2, 1.3, 0.24745515650741629],
      [1.8608, 17.776, 0.07939657813977986],
      [5, 99, 2.481396013040949e-6],
      [38, 150, 7.15410848835451e-79],
      [2, 100_000, 0.04550296345750651],
    ];
    for (const [t, degrees, p] of known) expectNear(studentTail(t, degrees), p, 1e-11);
    expectNear(studentTail(3, 1e15), chiSquaredTail(9, 1));
  });

  it('has no step where one way of computing it takes over from another', () => {
    for (const t of [0.5, 2, 4.9, 5, 5.1, 30]) {
      const [below, at, above] = [99.999_999, 100, 100.000_001].map((degrees) => studentTail(t, degrees));
      expectNear((below! + above!) / 2, at!, 1e-9);
    }
  });
});

describe("Welch's test", () => {
  it('has what R prints of its sleep data', () => {
    // ?t.test: t.test(extra ~ group, data = sleep).
    const first = sampleOf([0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0, 2]);
    const second = sampleOf([1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]);
    const test = welch(first, second)!;
    expect((test.difference / test.error).toFixed(4)).to.equal('-1.8608');
    expect(test.degrees.toFixed(3)).to.equal('17.776');
    expect(test.p.toFixed(5)).to.equal('0.07939');
    const { low, high } = welchInterval(test);
    expect([low.toFixed(7), high.toFixed(7)]).to.deep.equal(['-3.3654832', '0.2054832']);
  });

  it('has the examples of the literature', () => {
    // https://en.wikipedia.org/wiki/Welch%27s_t-test, examples 1 to 3.
    const samples: readonly (readonly [readonly number[], readonly number[], string, string])[] = [
      [
        [27.5, 21, 19, 23.6, 17, 17.9, 16.9, 20.1, 21.9, 22.6, 23.1, 19.6, 19, 21.7, 21.4],
        [27.1, 22, 20.8, 23.4, 23.4, 23.5, 25.8, 22, 24.8, 20.2, 21.9, 22.1, 22.9, 20.5, 24.4],
        ...(['-2.46', '0.021'] as const),
      ],
      [
        [17.2, 20.9, 22.6, 18.1, 21.7, 21.4, 23.5, 24.2, 14.7, 21.8],
        [21.5, 22.8, 21, 23, 21.6, 23.6, 22.5, 20.7, 23.4, 21.8, 20.7, 21.7, 21.5, 22.5, 23.6, 21.5, 22.5, 23.5, 21.5, 21.8],
        ...(['-1.57', '0.149'] as const),
      ],
      [
        [19.8, 20.4, 19.6, 17.8, 18.5, 18.9, 18.3, 18.9, 19.5, 22],
        [28.2, 26.6, 20.1, 23.3, 25.2, 22.1, 17.7, 27.6, 20.6, 13.7, 23.2, 17.5, 20.6, 18, 23.9, 21.6, 24.3, 20.4, 24, 13.2],
        ...(['-2.22', '0.036'] as const),
      ],
    ]; // prettier-ignore
    for (const [a, b, t, p] of samples) {
      const test = welch(sampleOf(a), sampleOf(b))!;
      expect((test.difference / test.error).toFixed(2)).to.equal(t);
      expect(test.p.toFixed(3)).to.equal(p);
    }
  });

  it('is none of one person, or of values that do not vary', () => {
    const some = sampleOf([1, 2, 3]);
    expect(welch(sampleOf([5]), some)).to.equal(null);
    expect(welch(sampleOf([5, 5]), sampleOf([7, 7, 7]))).to.equal(null);
    expect(welch(sampleOf([5, 5]), some)?.degrees).to.equal(2);
    expect(meanInterval(sampleOf([5]))).to.equal(null);
    expect(meanInterval(sampleOf([5, 5]))).to.deep.equal({ low: 5, high: 5 });
  });

  it('does not depend on the unit, up to the ends of the range of floats', () => {
    const [a, b] = [sampleOf([1, 2, 4]), sampleOf([3, 5, 9, 4])];
    const scaled = ({ mean, variance, ...rest }: Sample, by: number): Sample => ({
      ...{ ...rest, mean: mean * by, variance: variance! * by * by },
    });
    for (const by of [2 ** -500, 2 ** 500]) {
      expectNear(welch(scaled(a, by), scaled(b, by))?.p, welch(a, b)!.p);
    }
    expect(welch({ ...a, mean: Infinity }, b)).to.equal(null);
  });
});

describe('several tests', () => {
  it("are corrected by Holm's method", () => {
    // R: p.adjust(c(0.01, 0.02, 0.03, 0.04, 0.05), "holm"), and the example of https://en.wikipedia.org/wiki/Holm–Bonferroni_method.
    expect(holm([0.01, 0.02, 0.03, 0.04, 0.05]).map((p) => p?.toFixed(2))).to.deep.equal(['0.05', '0.08', '0.09', '0.09', '0.09']); // prettier-ignore
    expect(holm([0.01, 0.04, 0.03, 0.005]).map((p) => p?.toFixed(2))).to.deep.equal(['0.03', '0.06', '0.06', '0.02']);
  });

  it('are at most 1, and count only where there is a test', () => {
    expect(holm([0.6, null, 0.7])).to.deep.equal([1, null, 1]);
    expect(holm([null, 0.04])).to.deep.equal([null, 0.04]);
    expect(holm([])).to.deep.equal([]);
  });
});

describe('power', () => {
  it('is that of a test of means in the literature', () => {
    // J. Cohen, Statistical Power Analysis for the Behavioral Sciences, table 2.4.1: d = 0.5, 80 %, two-sided 5 %: 64 by t, 63 by the normal.
    expect(Math.ceil(personsForPower([1, 1], 0.5)!)).to.equal(63);
    expect(Math.ceil(personsForPower([1, 1], 0.2)!)).to.equal(393);
    expect(Math.ceil(personsForPower([rateVariance(rate(10, 100)), rateVariance(rate(15, 100))], 0.05)!)).to.equal(683);
  });

  it('is out of reach without a difference', () => {
    expect(personsForPower([1, 1], 0)).to.equal(null);
    expect(personsForPower([0, 0], 2)).to.equal(0);
    expect(personsForPower([1e-300, 1e-300], 1e-150)).to.be.closeTo(15.7, 0.01);
  });
});
