import { expect } from 'chai';
import fc from 'fast-check';
import { Ranges } from '../../lib/primitives/ranges.ts';

const FIRST = 1_024;

describe('ranges of memory', () => {
  it('never overlap, lie where memory was made, and are all free once they are given back', () => {
    const step = fc.record({ bytes: fc.oneof(fc.integer({ min: 0, max: 100 }), fc.nat(50_000)), give: fc.nat(20) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
        let end = FIRST;
        const ranges = new Ranges(FIRST, (until) => (end = Math.max(end, until)));
        const taken: { at: number; bytes: number }[] = [];
        for (const { bytes, give } of steps) {
          const at = ranges.take(bytes);
          expect(at % 16).to.equal(0);
          expect(at).to.be.at.least(FIRST);
          expect(at + bytes).to.be.at.most(end);
          for (const other of taken) expect(at + bytes <= other.at || other.at + other.bytes <= at).to.equal(true);
          taken.push({ at, bytes });
          if (give < taken.length) ranges.give(taken.splice(give, 1)[0]!.at);
        }
        for (const { at } of taken) ranges.give(at);
        expect(ranges.taken).to.equal(0);
        const whole = end - FIRST;
        expect(ranges.take(whole)).to.equal(FIRST); // a single free range again
      }),
    );
  });

  it('are used again before more memory is made', () => {
    let grown = 0;
    const ranges = new Ranges(0, () => grown++);
    const [first, second] = [ranges.take(1_000), ranges.take(1_000)];
    ranges.give(first);
    expect(ranges.take(500)).to.equal(first);
    expect(grown).to.equal(2);
    ranges.give(second);
    expect(() => ranges.give(second)).to.throw('nothing was taken');
  });
});
