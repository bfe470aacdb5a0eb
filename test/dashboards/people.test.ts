import { expect } from 'chai';
import { compileQuery } from '../../lib/dsl/compile.ts';
import { peopleQuery, type PeopleAsked } from '../../lib/dashboards/people.ts';

const asked = (q: string, asking: Partial<PeopleAsked> = {}): string | null =>
  peopleQuery(q, { timezone: null, ...asking });

describe('the query of who is behind a part of an answer', () => {
  it('keeps what chooses persons, and leaves out what works on rows', () => {
    expect(asked('signup | last 7d | count by day | sort count | limit 3 | share')).to.equal('signup\n| last 7d\n| count by day\n| people');
    expect(asked('funnel a -> b[_os = "|"] | avg | window 1d | having step = 1', { which: 'reached 2' })).to.equal('funnel a -> b[_os = "|"]\n| window 1d\n| people reached 2');
  }); // prettier-ignore

  it('chooses by the groups of the part, whatever their names and cells', () => {
    expect(asked('retention a | by week', { which: 'returned 1', chosen: { cohort: '2026-03-02' } })).to.equal('retention a\n| by week\n| people returned 1\n| having "cohort" = "2026-03-02"');
    expect(asked('* | count by event_properties."a b", user.age bin 10', { chosen: { 'event_properties."a b"': null, 'user.age bin 10': 20 } })).to.equal('*\n| count by event_properties."a b", user.age bin 10\n| people\n| having "event_properties.\\"a b\\"" = null and "user.age bin 10" = 20');
  }); // prettier-ignore

  it('asks in the zone of the dashboard, unless the query names one', () => {
    expect(asked('a | count by day', { timezone: 'Europe/Berlin' })).to.include('| tz "Europe/Berlin"\n| people');
    expect(asked('a | tz "UTC"', { timezone: 'Europe/Berlin' })).to.equal('a\n| tz "UTC"\n| people');
  });

  it('is a query that the language takes, also behind comments, without a source, and with bars in texts', () => {
    for (const q of ['| count by day', 'a # x | y\n| count by _os # z', '* | where _url = "a|b" | sum event_properties.n by week', 'sessions', 'funnel a -> b | by _os | compare previous']) {
      const which = q.startsWith('funnel') ? 'dropped 1' : '';
      const query = asked(q, { which, chosen: q.includes('_os') ? { _os: 'x' } : {}, timezone: 'UTC' });
      const { plan } = compileQuery(query ?? '', { now: 0, timezone: { project: 'UTC' }, limit: 100, offset: 0 });
      expect(plan.people, q).to.not.equal(undefined);
    }
  }); // prettier-ignore

  it('is none where the answer is of no persons, or of others than these', () => {
    for (const q of ['users', 'formula count(a)', 'inspect *', 'user "x"', 'a | list', 'a | latest _os', 'a | count[_os = "x"]', 'a | p90 of count per distinct_id', 'funnel a -> b | unit session_id', 'retention a | sum event_properties.n', 'a | people'])
      expect(asked(q), q).to.equal(null);
  }); // prettier-ignore
});
