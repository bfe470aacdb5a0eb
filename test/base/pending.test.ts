import { expect } from 'chai';
import { Pending } from '../../lib/base/pending.ts';

describe('Pending', () => {
  it('gives each a number, and uses it again once its answer came', () => {
    const pending = new Pending<string>();
    const numbers = ['a', 'b', 'c'].map((value) => pending.add(value));
    expect(new Set(numbers).size).to.equal(3);
    expect([pending.take(numbers[1]!), pending.take(numbers[1]!)]).to.deep.equal(['b', null]);
    expect(pending.add('d')).to.equal(numbers[1]);
    expect(numbers.map((number) => pending.take(number))).to.deep.equal(['a', 'd', 'c']);
  });

  it('knows no number that it has not given', () => {
    const pending = new Pending<string>();
    pending.add('a');
    expect([0, 2, -1, 1.5, NaN].map((number) => pending.take(number))).to.deep.equal([null, null, null, null, null]);
  });

  it('takes all that wait', () => {
    const pending = new Pending<string>();
    const [, b] = ['a', 'b', 'c'].map((value) => pending.add(value));
    pending.take(b!);
    expect(pending.takeAll()).to.deep.equal(['a', 'c']);
    expect(pending.takeAll()).to.deep.equal([]);
    expect(pending.take(pending.add('d'))).to.equal('d');
  });
});
