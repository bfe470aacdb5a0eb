import { expect } from 'chai';
import { gapIn, wordsFor } from '../../../lib/dsl/hints/complete.ts';
import { compileQuery } from '../../../lib/dsl/compile.ts';

const NAMES = {
  events: ['signup', 'sign out', 'count', 'a"b', 'a->b', 'a-b'],
  fields: ['event_properties.plan', 'event_properties.key with space', 'user.team'],
};

/** Proposals that continue the typed text. */
function proposed(query: string): string[] {
  const gap = gapIn(query);
  return wordsFor(gap, NAMES)
    .map(({ text }) => text)
    .filter((text) => text.startsWith(gap.partial));
}

describe('completion of a query', () => {
  const CASES: readonly (readonly [query: string, kinds: string])[] = [
    ['', 'event source'],
    ['sig', 'event source'],
    ['funnel ', 'event'],
    ['funnel signup -> ', 'event'],
    ['retention signup returning ', 'event'],
    ['paths from ', 'event'],
    ['formula count(', 'event'],
    ['signup ', ''],
    ['signup[', 'field'],
    ['funnel signup[user.team = "x" and ', 'field'],
    ['funnel signup[user.team = "x"] -> ', 'event'],
    ['signup | ', 'stage'],
    ['signup | co', 'stage'],
    ['signup | count, ', 'metric'],
    ['signup | count by ', 'bucket field'],
    ['signup | count by day, ', 'bucket field'],
    ['signup | by day | sum ', 'field'],
    ['signup | where ', 'field'],
    ['signup | where (', 'field'],
    ['signup | where user.team = "x" and not ', 'field'],
    ['signup | where user.team = ', ''],
    ['signup | where user.team in ("a", ', ''],
    ['signup | where user.team = "a | ', ''],
    ['choice c | results ', 'event'],
    ['signup | latest user.team per ', 'field'],
    ['signup | last ', ''],
  ];
  for (const [query, kinds] of CASES) {
    it(`wants ${kinds === '' ? 'nothing that it knows' : kinds} behind \`${query}\``, () => {
      expect(gapIn(query).wants.join(' ')).to.equal(kinds);
    });
  }

  it('says where the word begins that is typed, also one in quotes', () => {
    expect(gapIn('signup | count by us')).to.include({ start: 18, partial: 'us' });
    expect(gapIn('funnel "sign o')).to.include({ start: 7, partial: '"sign o' });
  });

  it('writes names as the language does', () => {
    expect(proposed('si')).to.deep.equal(['signup']);
    expect(proposed('"')).to.deep.equal(['"signup"', '"sign out"', '"count"', '"a\\"b"', '"a->b"', '"a-b"']);
    expect(proposed('funnel signup -> ')).to.deep.equal(['signup', '"sign out"', '"count"', '"a\\"b"', '"a->b"', 'a-b']);
    expect(proposed('* | count by event_properties.')).to.deep.equal(['event_properties.plan', 'event_properties."key with space"']);
    expect(proposed('* | count by _geo_cou')).to.deep.equal(['_geo_country']);
  }); // prettier-ignore

  it('proposes nothing that the language refuses as an event or as a field', () => {
    const context = { now: 0, timezone: { project: 'UTC' }, earliest: null, limit: 10, offset: 0 };
    for (const text of proposed('funnel signup -> '))
      expect(() => compileQuery(`funnel signup -> ${text}`, context), text).to.not.throw();
    for (const text of proposed('* | count by '))
      expect(() => compileQuery(`* | count by ${text}`, context), text).to.not.throw();
  });
});
