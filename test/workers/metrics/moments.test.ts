import { expect } from 'chai';
import fc from 'fast-check';
import { Budget } from '../../../lib/workers/budget.ts';
import { mergeDeviations, MomentsBySlot } from '../../../lib/workers/metrics/moments.ts';
import { deviation } from '../../oracle/metrics.ts';
import { runs, seed } from '../../properties/settings.ts';

const GROUP = Uint32Array.of(0);

/** The deviation of numbers that come in several parts. */
function deviationOf(parts: readonly (readonly number[])[]): number | null {
  const partials = parts.map((values) => {
    const moments = new MomentsBySlot(new Budget(2 ** 20));
    moments.resize(1);
    for (const value of values) moments.add(0, value);
    return { kind: 'moments' as const, windows: moments.pick(GROUP) };
  });
  const groups = { count: 1, text: () => null, id: () => 0, compare: () => 0, places: parts.map(() => GROUP) };
  const [value = NaN] = mergeDeviations(partials, groups);
  return Number.isFinite(value) ? value : null;
}

describe('stddev', () => {
  const finite = fc.double({ noNaN: true, noDefaultInfinity: true });
  const near = fc.tuple(finite, fc.array(fc.integer({ min: -3, max: 3 }), { maxLength: 20 })).map(([n, steps]) => {
    return steps.map((step) => n + step * Math.abs(n) * 2 ** -52).filter(Number.isFinite);
  });
  const prices = fc.array(
    fc.integer({ min: 0, max: 99_999 }).map((cents) => cents / 100),
    { maxLength: 50 },
  );
  const numbers = fc.oneof(fc.array(finite, { maxLength: 20 }), near, prices);

  it('is what arithmetic without rounding gives', () => {
    fc.assert(
      fc.property(numbers, (values) => {
        const [found, exact] = [deviationOf([values]), deviation(values)];
        if (exact === null || exact === 0) expect(found).to.equal(exact);
        // Below 1e-300 floats have fewer digits.
        else expect(Math.abs(found! - exact)).to.be.at.most(exact * 2 ** -50 + 1e-315);
      }),
      { numRuns: runs(300), ...seed() },
    );
  });

  it('depends neither on the order of numbers nor on how they are split, to the last bit', () => {
    const split = numbers.chain((values) =>
      fc.tuple(
        fc.constant(values),
        fc.shuffledSubarray(values, { minLength: values.length }),
        fc.nat({ max: values.length }),
      ),
    );
    fc.assert(
      fc.property(split, ([values, shuffled, cut]) => {
        const parts = [shuffled.slice(0, cut), shuffled.slice(cut)];
        expect(deviationOf(parts)).to.equal(deviationOf([values]));
        expect(deviationOf(parts.toReversed())).to.equal(deviationOf([values]));
      }),
      { numRuns: runs(300), ...seed() },
    );
  });

  it('is exactly 0 of many equal numbers', () => {
    for (const number of [0.1, -1e15 / 3, 1e-200, 1.7e308, Number.MIN_VALUE]) {
      expect(deviationOf([Array<number>(1_000).fill(number), Array<number>(77).fill(number)]), String(number)).to.equal(
        0,
      );
    }
  });
});
