import { expect } from 'chai';
import { changeText, pointsText, roundedChange } from '../../console/dashboard/values.ts';

describe('a change beside a number', () => {
  it('is none where it would be written as 0', () => {
    for (const size of [0.0004, -0.0004, 0]) {
      expect([changeText(size), pointsText(size)]).to.deep.equal(['0%', '0 pp']);
      expect(Math.sign(roundedChange(size))).to.satisfy((sign: number) => sign === 0);
    }
    expect([changeText(-0.0016), pointsText(-0.0016), roundedChange(-0.0016)]).to.deep.equal(['-0.2%', '-0.2 pp', -0.002]);
  }); // prettier-ignore
});
