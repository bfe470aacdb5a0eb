import { expect } from 'chai';
import fc from 'fast-check';
import { comparePathTexts, labelText, pathText } from '../../../lib/dsl/finish/path-text.ts';
import { compareCodePoints } from '../../../lib/dsl/plan/value.ts';

describe('the order of paths', () => {
  it('is that of their texts, wherever labels end', () => {
    const label = fc.oneof(
      fc.constantFrom(null, '', '(none)', 'a', 'a -> a', ' -> ', '-> a', ' ', '\ud83d', '\ude00', '\uffff'),
      fc.string({ maxLength: 3 }),
    );
    const path = fc.array(label, { maxLength: 5 });
    fc.assert(
      fc.property(path, path, (a, b) => {
        const expected = Math.sign(compareCodePoints(pathText(a)!, pathText(b)!));
        expect(Math.sign(comparePathTexts(a, b, labelText))).to.equal(expected);
      }),
      { numRuns: 2_000 },
    );
  });

  it('asks for no more labels than tell two paths apart', () => {
    const texts = ['first', 'second', 'third'];
    let asked = 0;
    const textOf = (id: number): string => {
      asked++;
      return texts[id]!;
    };
    const shared = Array<number>(1_000).fill(0);
    expect(comparePathTexts([...shared, 1, ...shared], [...shared, 2, ...shared], textOf)).to.be.below(0);
    expect(asked).to.equal(2);
  });
});
