import { expect } from 'chai';
import { gapIn, wordsFor } from '../../../lib/dsl/hints/complete.ts';
import { compileQuery } from '../../../lib/dsl/compile.ts';

const NAMES = {
  events: ['signup', 'sign out', 'count', 'a"b', 'a->b', 'a-b'],
  cohorts: ['buyers', 'big spenders'],
  fields: ['event_properties.plan', 'event_properties.key with space', 'user.team'],
  values: new Map([['event_properties."key with space"', ['one', 'two']]]),
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
    ['retention signup returning ', 'event every'],
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
    ['signup | where ', 'field condition'],
    ['signup | where (', 'field condition'],
    ['signup | where user.team = "x" and not ', 'field condition'],
    ['signup | where user.team = ', 'value'],
    ['signup | where user.team in ("a", ', 'value'],
    ['signup | where user.team not in (', 'value'],
    ['signup | where user.team starts with ', 'value'],
    ['signup | where user.team exists ', ''],
    ['signup | where user.team = "a | ', 'value'],
    ['funnel signup -> purchase | people ', 'people'],
    ['retention signup | people l', 'people'],
    ['choice c | results ', 'event measure'],
    ['choice c | results sum ', 'field'],
    ['choice c | results sum (event_properties.price * event_properties.count) ', 'of'],
    ['choice c | results avg event_properties.price of ', 'event'],
    ['attribution ', 'event'],
    ['attribution purchase | model ', 'model'],
    ['signup | with ', 'bots'],
    ['attribution purchase | by ', 'bucket field'],
    ['attribution purchase | having ', 'column'],
    ['signup | where did(', 'event'],
    ['signup | where not did(pur', 'event'],
    ['signup | where did(purchase[', 'field'],
    ['signup | where did(purchase) ', 'span'],
    ['signup | where did(purchase[user.team = "x"]) >= 2 ', 'span'],
    ['signup | where did(purchase) within 7d of ', 'event'],
    ['signup | where did(purchase) and ', 'field condition'],
    ['signup | where cohort ', 'cohort'],
    ['signup | where not cohort ', 'cohort'],
    ['signup | where did(a) and (cohort "bu', 'cohort'],
    ['signup | count by cohort ', 'cohort'],
    ['signup | count by day, cohort "b', 'cohort'],
    ['signup | count by cohort "buyers", ', 'bucket field'],
    ['formula count(signup) by cohort ', 'cohort'],
    ['signup | latest user.team per ', 'field'],
    ['signup | last ', 'range'],
    ['funnel a -> b | window 1', 'range'],
    ['signup | where did(a) in last ', 'range'],
    ['signup | count[', 'field'],
    ['signup | count[user.team = "x" or ', 'field'],
    ['signup | count[user.team = ', 'value'],
    ['signup | where user.team in ["a", ', ''],
    ['signup | count[user.team = "x"], ', 'metric'],
    ['signup | count as ', ''],
    ['signup | p90 of ', 'metric'],
    ['signup | p90 of count per ', 'field'],
    ['signup | sum (', 'field'],
    ['signup | sum (event_properties.price * ', 'field'],
    ['signup | where (event_properties.price - ', 'field'],
    ['formula count(signup[', 'field'],
    ['formula count(signup) by ', 'bucket field'],
    ['formula count(signup) by user.age ', 'group'],
    ['signup | count by user.age ', 'group'],
    ['signup | count by day, event_properties."a b" ', 'group'],
    ['signup | count by (event_properties.a * 2) ', 'group'],
    ['signup | count by day ', ''],
    ['signup | count by each ', 'field'],
    ['signup | list ', 'field'],
    ['signup | list user.team, ', 'field'],
    ['signup | list user.team | sort (', 'field'],
    ['signup | count by user.age bin ', ''],
    ['signup | count by user.age bin 10, ', 'bucket field'],
    ['signup | count by day | having ', 'column'],
    ['signup | count by day | having count > ', ''],
    ['signup | count by day | having count = ', ''],
    ['signup | count by day | having count > 1 and ', 'column'],
    ['signup | count by day | having not ', 'column'],
    ['signup | count by day | having (', 'column'],
    ['signup | count by day | sort ', 'column'],
    ['signup | list user.team | sort ', 'field'],
    ['signup | having ', 'metric bucket field'],
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

  it('proposes the columns of the answer as it prints them', () => {
    const columns = (query: string): string => proposed(`${query} | having `).join(', ');
    expect(columns('signup | last 7d | count, sum user.age as total by day, user.team')).to.equal('day, user.team, count, total'); // prettier-ignore
    expect(columns('signup | by user.age bin 10 | unique[user.team in ("a", "b")], p90 user.age')).to.equal('"user.age bin 10", "unique[user.team in (\\"a\\", \\"b\\")]", p90'); // prettier-ignore
    expect(columns('signup | count as n by each user.tags | compare previous | share')).to.equal('"each user.tags", n, n_previous, n_change, share'); // prettier-ignore
    expect(columns('* | count as "all of it" by (user.age * 2) bin 10, event_properties."a b"')).to.equal('"(user.age * 2) bin 10", event_properties."a b", "all of it"'); // prettier-ignore
    expect(columns('signup | count by user.team | people')).to.equal('distinct_id, email, time, user.team');
    expect(columns('choice k | results buy | by _country')).to.equal('_country, variant, users, conversions, rate, lift, ci_low, ci_high, p_value, p_adjusted'); // prettier-ignore
    expect(columns('choice k | results sum user.age of buy')).to.include('users, total, mean, lift');
    expect(columns('signup | count, p90 of count per user_id by day')).to.equal('day, count, "p90 of count per user_id"'); // prettier-ignore
    expect(columns('attribution signup | by user.team | sum user.age as total')).to.equal('user.team, conversions, share, total'); // prettier-ignore
  });

  it('writes names as the language does', () => {
    expect(proposed('si')).to.deep.equal(['signup']);
    expect(proposed('attr')).to.deep.equal(['attribution']);
    expect(proposed('attribution a | model l')).to.deep.equal(['last', 'linear']);
    expect(proposed('"')).to.deep.equal(['"signup"', '"sign out"', '"count"', '"a\\"b"', '"a->b"', '"a-b"']);
    expect(proposed('funnel signup -> ')).to.deep.equal(['signup', '"sign out"', '"count"', '"a\\"b"', '"a->b"', 'a-b']);
    expect(proposed('* | count by event_properties.')).to.deep.equal(['event_properties.plan', 'event_properties."key with space"']);
    expect(proposed('* | where cohort "b')).to.deep.equal(['"buyers"', '"big spenders"']);
    expect(proposed('* | where event_properties."key with space" = "o')).to.deep.equal(['"one"']);
    expect(proposed('* | where user.team in ("a", ')).to.deep.equal([]);
    expect(proposed('* | where event_type != ')).to.deep.equal(['"signup"', '"sign out"', '"count"', '"a\\"b"', '"a->b"', '"a-b"']);
    expect(proposed('* | last 14')).to.deep.equal(['14d', '14w', '14mo', '14h']);
    expect(proposed('retention signup returning an')).to.deep.equal(['any']);
    expect(proposed('* | count by _geo_cou')).to.deep.equal(['_geo_country']);
  }); // prettier-ignore

  it('proposes no column that the answer lacks', () => {
    const context = { now: 0, timezone: { project: 'UTC' }, earliest: null, limit: 10, offset: 0 };
    for (const query of [
      '* | last 7d | count as n, unique[user.team = "x"] by day, event_properties."a b", user.age bin 2, each user.tags | compare previous',
      'users | sum user.age as "all of it", count by (user.age * 2) bin 10 | share',
    ]) {
      const found = proposed(`${query} | having `);
      expect(found).to.have.length.above(3);
      for (const text of found)
        expect(() => compileQuery(`${query} | having ${text} exists`, context), text).to.not.throw();
    }
  });

  it('proposes nothing that the language refuses as an event or as a field', () => {
    const context = { now: 0, timezone: { project: 'UTC' }, earliest: null, limit: 10, offset: 0 };
    for (const text of proposed('funnel signup -> '))
      expect(() => compileQuery(`funnel signup -> ${text}`, context), text).to.not.throw();
    for (const text of proposed('* | count by ')) {
      const group = text === 'each' ? 'each user_id' : text === 'cohort' ? 'cohort "buyers"' : text;
      expect(() => compileQuery(`* | count by ${group}`, { ...context, cohorts: 'any' }), text).to.not.throw();
    }
  });
});
