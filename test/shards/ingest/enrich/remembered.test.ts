import { expect } from 'chai';
import { remembered } from '../../../../lib/base/lru.ts';

describe('a remembered function', () => {
  it('is called once for a text, and again for long ones', () => {
    const asked: string[] = [];
    const find = remembered({ entries: 2, keyLength: 3 }, (text) => ({ nth: asked.push(text) }));
    expect([find('a'), find('a'), find('long'), find('long')].map(({ nth }) => nth)).to.deep.equal([1, 1, 2, 3]);
    expect(asked).to.deep.equal(['a', 'long', 'long']);
  });
});
