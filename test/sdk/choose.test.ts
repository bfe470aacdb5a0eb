import { expect } from 'chai';
import { choose } from '../../sdk/core/choose.ts';

const units = Array.from({ length: 20_000 }, (_, n) => `device-${n}`);

function shares(variants: readonly string[] | Record<string, number>, seed = ''): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const unit of units) {
    const variant = choose({ key: 'price', variants, unit, seed });
    counts[variant] = (counts[variant] ?? 0) + 1 / units.length;
  }
  return counts;
}

describe('the choice of a variant', () => {
  it('is the same for the same device every time, as released', () => {
    const chosen = units.slice(0, 16).map((unit) => choose({ key: 'price', variants: ['a', 'b', 'c'], unit }));
    expect(chosen.join('')).to.equal('bababcabaacacaac');
  });

  it('is as frequent as it is to be', () => {
    for (const share of Object.values(shares(['a', 'b']))) expect(share).to.be.within(0.49, 0.51);
    const { a, b, c } = shares({ a: 1, b: 3, c: 0 });
    expect(a).to.be.within(0.24, 0.26);
    expect(b).to.be.within(0.74, 0.76);
    expect(c).to.equal(undefined);
  });

  it('says nothing of other choices, nor of the same with another seed', () => {
    const both = units.filter((unit) => {
      const [one, two] = ['one', 'two'].map((key) => choose({ key, variants: ['a', 'b'], unit }));
      return one === two;
    });
    const seeds = units.filter((unit) => {
      const [one, two] = ['1', '2'].map((seed) => choose({ key: 'k', variants: ['a', 'b'], unit, seed }));
      return one === two;
    });
    for (const same of [both, seeds]) expect(same.length / units.length).to.be.within(0.48, 0.52);
  });

  it('takes at least one variant', () => {
    expect(() => choose({ key: 'k', variants: [], unit: 'u' })).to.throw(RangeError);
    expect(() => choose({ key: 'k', variants: { a: 0 }, unit: 'u' })).to.throw(RangeError);
  });
});
