import { expect } from 'chai';
import fc from 'fast-check';
import { editDistance, Effort, nearest, nearestWithin } from '../../../lib/base/text/nearest.ts';

describe('nearest', () => {
  it('finds a name with few edits', () => {
    expect(nearest('_browsr', ['_browser', '_os'])).to.equal('_browser');
    expect(nearest('cuont', ['sum', 'count'])).to.equal('count');
    expect(nearest('COUNT', ['count'])).to.equal('count');
    expect(nearest('retentionn', ['retention'])).to.equal('retention');
  });

  it('finds none where nothing is close', () => {
    expect(nearest('plan', ['_browser', 'event_type'])).to.equal(null);
    expect(nearest('ab', ['xy'])).to.equal(null);
    expect(nearest('plan', [])).to.equal(null);
    expect(nearest('plan', ['plan'])).to.equal(null);
  });

  it('prefers another case of the same word, and the case that was written', () => {
    expect(nearest('Logn', ['LOGIN', 'login', 'Login'])).to.equal('Login');
    expect(nearest('logn', ['LOGIN', 'Login', 'login'])).to.equal('login');
    expect(nearest('LOGN', ['login', 'Login', 'LOGIN'])).to.equal('LOGIN');
    expect(nearest('Signup', ['signed', 'SIGNUP', 'signup', 'Sign_up'])).to.equal('signup');
  });

  it('takes the closest, of equals the first', () => {
    expect(nearest('lst', ['last', 'list'])).to.equal('last');
    expect(nearestWithin('signups', ['signins', 'signup'], 3)).to.equal('signup');
  });
});

describe('an effort', () => {
  it('is shared by all who look for names, and none finds anything when it is spent', () => {
    const names = ['signin', 'signup'];
    const effort = new Effort(250);
    expect(nearestWithin('sign_up', names, 2, effort)).to.equal('signup');
    expect(nearestWithin('sign_up', names, 2, effort)).to.equal('signup');
    expect(nearestWithin('sign_up', names, 2, effort)).to.equal(null);
  });

  it('ends within a comparison', () => {
    expect(editDistance('abcdefgh', 'abcdefgh', 2, new Effort(20))).to.equal(3);
  });
});

describe('editDistance', () => {
  it('counts insertions, deletions, replacements and swaps', () => {
    expect(editDistance('abc', 'abc', 5)).to.equal(0);
    expect(editDistance('abc', 'abxc', 5)).to.equal(1);
    expect(editDistance('abc', 'ac', 5)).to.equal(1);
    expect(editDistance('abc', 'axc', 5)).to.equal(1);
    expect(editDistance('abc', 'acb', 5)).to.equal(1);
    expect(editDistance('', 'abc', 5)).to.equal(3);
  });

  it('is symmetric, and anything above its bound is beyond it', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 8 }), fc.string({ maxLength: 8 }), fc.nat(8), (a, b, bound) => {
        const exact = editDistance(a, b, 100);
        expect(editDistance(b, a, 100)).to.equal(exact);
        const bounded = editDistance(a, b, bound);
        if (exact <= bound) {
          expect(bounded).to.equal(exact);
        } else {
          expect(bounded).to.be.above(bound);
        }
      }),
    );
  });
});
