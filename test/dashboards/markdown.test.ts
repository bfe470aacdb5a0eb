import { expect } from 'chai';
import { endOf, headingIn } from '../../console/dashboard/markdown-lines.ts';

describe('Markdown of cards', () => {
  it('has headings of one to six marks, without those at their end', () => {
    expect(headingIn('# Title')).to.deep.equal({ depth: 1, text: 'Title' });
    expect(headingIn('######\t C #  ## ')).to.deep.equal({ depth: 6, text: 'C' });
    expect(headingIn('## a # b')).to.deep.equal({ depth: 2, text: 'a # b' });
    expect(headingIn('#\u2028x\u2028')).to.deep.equal({ depth: 1, text: 'x' });
    expect(headingIn('### ###')).to.deep.equal({ depth: 3, text: '' });
    expect([headingIn('#title'), headingIn('####### x'), headingIn(' # x')]).to.deep.equal([null, null, null]);
  });

  it('of a card takes no time, whatever is in its lines and however many they are', () => {
    const began = performance.now();
    headingIn(`#${' '.repeat(20_000)}x\u2028`);
    headingIn(`# ${'# '.repeat(10_000)}x`);
    const lines = Array.from({ length: 200_000 }, () => 'x');
    for (let at = 0; at < lines.length;) at = endOf(lines, at, () => true);
    expect(performance.now() - began).to.be.below(1_000);
  });
});
