import { expect } from 'chai';
import fc from 'fast-check';
import { compileTest } from '../../../lib/dsl/plan/value.ts';
import { numberRange } from '../../../lib/workers/where/number-range.ts';

const number = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
  fc.constantFrom(0, -0, 1, -1, Number.MIN_VALUE, -Number.MIN_VALUE, Number.MAX_VALUE, -Number.MAX_VALUE, 2 ** 53),
);
const literal = fc.oneof(
  number.map((value) => ({ type: 'number', value }) as const),
  fc.integer().map((value) => ({ type: 'time', value }) as const),
);
const test = fc.oneof(
  fc.constant({ op: 'exists' } as const),
  literal.map((one) => ({ op: 'equals', literal: one }) as const),
  fc
    .tuple(fc.constantFrom('>', '>=', '<', '<='), literal)
    .map(([sign, one]) => ({ op: 'compare', sign, literal: one }) as const),
);

describe('a test of numbers as a range', () => {
  it('has the numbers that pass the test, those next to its bound too', () => {
    fc.assert(
      fc.property(test, fc.array(number), (tested, numbers) => {
        const range = numberRange(tested)!;
        const passes = compileTest(tested);
        const bound = tested.op === 'exists' ? 0 : tested.literal.value;
        const near = [bound, bound * (1 + Number.EPSILON), bound * (1 - Number.EPSILON)].filter(Number.isFinite);
        for (const value of [...numbers, ...near])
          expect(range.least <= value && value <= range.most, String(value)).to.equal(passes(value));
      }),
      { numRuns: 500 },
    );
  });

  it('is none of several numbers, of texts, or of digits that a float cannot hold', () => {
    expect(numberRange({ op: 'in', literals: [{ type: 'number', value: 1 }] })).to.equal(null);
    expect(numberRange({ op: 'contains', text: '1' })).to.equal(null);
    expect(numberRange({ op: 'compare', sign: '>', literal: { type: 'string', value: '1' } })).to.equal(null);
    const long = { type: 'number', value: 2 ** 60, digits: '1152921504606846977' } as const;
    expect(numberRange({ op: 'equals', literal: long })).to.equal(null);
  });
});
