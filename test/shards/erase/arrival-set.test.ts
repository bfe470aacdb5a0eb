import { expect } from 'chai';
import fc from 'fast-check';
import { ArrivalSet } from '../../../lib/shards/erase/arrival-set.ts';

const arrival = fc.oneof(fc.nat(20), fc.integer({ min: 65_500, max: 65_600 }), fc.nat(2 ** 34));

describe('a set of arrival numbers', () => {
  const setOf = (numbers: readonly number[]): ArrivalSet => {
    const set = new ArrivalSet();
    for (const number of numbers) set.add(number);
    return set;
  };

  it('has what was added, and nothing else, also once it was written and read, and joined', () => {
    fc.assert(
      fc.property(fc.array(arrival), fc.array(arrival), fc.array(arrival), (some, more, others) => {
        const known = new Set([...some, ...more]);
        const read = ArrivalSet.parse([...setOf(some).texts(), ...setOf(more).texts()]);
        for (const set of [read, ArrivalSet.of([setOf(some).blocks, setOf(more).blocks])]) {
          expect([set.size, set.end]).to.deep.equal([known.size, Math.max(-1, ...known) + 1]);
          for (const one of [...known, ...others]) expect(set.has(one), String(one)).to.equal(known.has(one));
        }
      }),
    );
  });

  it('takes a few bytes as text for an import of a million events', () => {
    const set = new ArrivalSet();
    for (let number = 5; number < 1_000_005; number++) set.add(number);
    const texts = set.texts();
    expect(texts).to.have.length(16);
    expect(texts.join('').length).to.be.below(2_000);
    expect(ArrivalSet.parse(texts).size).to.equal(1_000_000);
  });

  it('takes at most 11 KB a text, which is what a line of the log of erasures counts on', () => {
    let seed = 1;
    const set = new ArrivalSet();
    for (let number = 0; number < 65_536; number++) {
      seed = (seed * 48_271) % 2_147_483_647;
      if (seed % 2 === 0) set.add(number);
    }
    expect(Math.max(...set.texts().map(({ length }) => length))).to.be.below(11_100);
  });

  it('is refused where it is no such text', () => {
    const [good = ''] = setOf([7]).texts();
    for (const bad of ['', 'x', '5', '-1:AA==', good.slice(0, 8), `${good}!`])
      expect(() => ArrivalSet.parse([bad]), bad).to.throw();
  });
});
