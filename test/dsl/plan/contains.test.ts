import { expect } from 'chai';
import fc from 'fast-check';
import { substringFinder } from '../../../lib/dsl/plan/contains.ts';

describe('contains', () => {
  it('finds long texts wherever they are, also where they repeat themselves', () => {
    const units = fc.array(fc.constantFrom('p', 'q', '\u{1F600}'), { minLength: 1, maxLength: 3 });
    const piece = fc.tuple(units, fc.integer({ min: 1, max: 300 })).map(([some, times]) => some.join('').repeat(times));
    fc.assert(
      fc.property(piece, piece, piece, fc.array(piece, { maxLength: 3 }), (a, b, c, others) => {
        const wanted = a + b + c;
        const find = substringFinder(wanted);
        for (const text of [a + wanted + c, a + a + b + c, a + b + b + c, a + b + a + b + c, ...others]) {
          expect(find(text)).to.equal(text.includes(wanted));
        }
      }),
    );
  });

  it('reads each unit of a text once, however long the other is', () => {
    const wanted = `${'p'.repeat(4_000)}q${'p'.repeat(4_000)}`;
    const text = 'p'.repeat(65_536);
    let reads = 0;
    const counting = {
      length: text.length,
      includes: (part: string) => {
        expect(part).to.have.length(250);
        return true;
      },
      charCodeAt: (at: number) => {
        reads++;
        return text.charCodeAt(at);
      },
    };
    expect(substringFinder(wanted)(counting as unknown as string)).to.equal(false);
    expect(reads).to.equal(text.length);
  });
});
