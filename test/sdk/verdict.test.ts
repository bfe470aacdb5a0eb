import { expect } from 'chai';
import type { Verdict } from '../../sdk/core/verdict.ts';
import { AGAIN, DONE, LATER, NEVER, SMALLER, verdictOf, waitOf } from '../../sdk/core/verdict.ts';

const CASES: readonly (readonly [status: number, wait: number, items: number, verdict: Verdict])[] = [
  [200, NaN, 50, DONE],
  [204, NaN, 1, DONE],
  [0, NaN, 1, AGAIN],
  [500, NaN, 1, AGAIN],
  [503, NaN, 1, AGAIN],
  [503, 60, 1, LATER],
  [429, 7, 1, LATER],
  [429, NaN, 1, AGAIN],
  [408, NaN, 1, AGAIN],
  [401, NaN, 1, NEVER],
  [403, 60, 1, NEVER],
  [404, NaN, 1, NEVER],
  [400, NaN, 50, DONE],
  [413, NaN, 2, SMALLER],
  [413, NaN, 1, DONE],
];

const NAMES = { [DONE]: 'done', [SMALLER]: 'smaller', [NEVER]: 'never', [LATER]: 'later', [AGAIN]: 'again' };

describe('what an answer means for what was sent', () => {
  for (const [status, wait, items, verdict] of CASES) {
    it(`${status} to ${items}, ${isNaN(wait) ? 'without a time' : `${wait} s`}: ${NAMES[verdict]}`, () => {
      expect(verdictOf({ status, wait }, items)).to.equal(verdict);
    });
  }

  it('reads seconds to wait from RateLimit-Reset, else Retry-After in seconds or as a date', () => {
    const wait = (headers: Record<string, string>): number => waitOf(new Headers(headers));
    expect(wait({ 'RateLimit-Reset': '7', 'Retry-After': '60' })).to.equal(7);
    expect(wait({ 'Retry-After': '60' })).to.equal(60);
    expect(wait({ 'Retry-After': new Date(Date.now() + 90_000).toUTCString() })).to.be.within(85, 90);
    expect(wait({})).to.deep.equal(NaN);
    expect(wait({ 'Retry-After': 'soon' })).to.deep.equal(NaN);
  });
});
