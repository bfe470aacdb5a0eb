import { expect } from 'chai';
import fc from 'fast-check';
import { returnPath } from '../../../lib/router/auth/local-path.ts';

const ORIGIN = 'https://stats.example.org';

describe('where a login leads back to', () => {
  for (const path of [
    '/',
    '/console',
    '/console/org_1?tab=usage&x=%2F#days',
    '/a/../b',
    '/authors',
    '/loginx',
    '/x//y',
  ]) {
    it(`may be ${path}`, () => {
      expect(returnPath(path)).to.equal(path);
    });
  }

  const refused = [
    ...['', 'console', './console', '?x', '#x', ' /console', '/con sole', '/console\n', '/\tx', '/x\u0000', '/x\u007f'],
    ...['//evil.example', '///evil.example', '/\\evil.example', '\\\\evil.example', '/x\\y', '/\t/evil.example'],
    ...['/.//evil.example', '/..//evil.example', '/%2e//evil.example', '/x/../..//evil.example'],
    ...['http://evil.example', 'HTTPS:evil.example', 'javascript:alert(1)', 'data:text/html,x', '@evil.example'],
    ...['/ünicode', '/\u2028', '/\u200b', '/\ud800', `/${'x'.repeat(512)}`],
    ...['/auth/test', '/auth', '/auth/logout', '/./auth/test', '/x/../auth/test', '/login', '/login?error=denied'],
  ];
  for (const text of refused) {
    it(`is never ${JSON.stringify(text).slice(0, 60)}`, () => {
      expect(returnPath(text)).to.equal(null);
    });
  }

  it('is nowhere in particular when nobody said', () => {
    expect(returnPath(null)).to.equal(null);
  });

  it('never leaves the origin, whatever the text', () => {
    const piece = fc.constantFrom(
      '/',
      '\\',
      '.',
      '..',
      '%2e',
      '@',
      ':',
      '?',
      '#',
      'evil.example',
      'x',
      '\t',
      '\n',
      ' ',
      '\u00a0',
    );
    const text = fc.oneof(
      fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join('')),
      fc.webUrl(),
      fc.string(),
    );
    fc.assert(
      fc.property(text, (each) => {
        const path = returnPath(each);
        if (path !== null) expect(new URL(path, `${ORIGIN}/auth/test/cb`).origin).to.equal(ORIGIN);
      }),
      { numRuns: 5_000 },
    );
  });
});
