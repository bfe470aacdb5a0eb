import { expect } from 'chai';
import { Behind, type AnswerPart } from '../../lib/dashboards/behind.ts';
import { compileQuery } from '../../lib/dsl/compile.ts';

const asked = (q: string, part: AnswerPart = {}, timezone: string | null = null): string | null =>
  new Behind(q, timezone).of(part)?.replaceAll('\n', ' ') ?? null;

describe('the query of what is behind a part of an answer', () => {
  it('keeps what chooses people, and leaves out what works on rows', () => {
    expect(asked('signup | last 7d | count by day | sort count | limit 3 | share')).to.equal('signup | last 7d | count by day | people');
    expect(asked('funnel a -> b[_os = "|"] | avg | window 1d | having step = 1', { which: 'reached 2' })).to.equal('funnel a -> b[_os = "|"] | window 1d | people reached 2');
  }); // prettier-ignore

  it('chooses by the groups of the part, whatever their names and cells', () => {
    expect(asked('retention a | by week', { which: 'returned 1', chosen: { cohort: '2026-03-02' } })).to.equal('retention a | by week | people returned 1 | having "cohort" = "2026-03-02"');
    expect(asked('* | count by event_properties."a b", user.age bin 10', { chosen: { 'event_properties."a b"': null, 'user.age bin 10': 20 } })).to.equal('* | count by event_properties."a b", user.age bin 10 | people | having "event_properties.\\"a b\\"" = null and "user.age bin 10" = 20');
    expect(asked('* | count by _os', { chosen: { _os: '" | list | where x = "\\' } })).to.equal('* | count by _os | people | having "_os" = "\\" | list | where x = \\"\\\\"');
  }); // prettier-ignore

  it('chooses by the condition of the metric whose number it is', () => {
    const q = 'a | count, count[event_properties."x[]" = "]"] as bad by _os | last 1d';
    expect(asked(q, { chosen: { _os: 'x' }, metric: 'bad' })).to.equal('a | by _os | last 1d | where event_properties."x[]" = "]" | people | having "_os" = "x"'); // prettier-ignore
    expect(asked(q, { metric: 'count' })).to.equal('a | by _os | last 1d | people');
    expect(asked('a | count[_os = "x"]')).to.equal('a | where _os = "x" | people');
    expect(asked('a | p90 of count per user_id by week', { chosen: { week: '2026-03-02' } })).to.equal('a | by week | people | having "week" = "2026-03-02"'); // prettier-ignore
    expect(asked('a | count[_os = "x"], count[_os = "y"]')).to.equal(null);
  });

  it('asks in the zone of the dashboard, unless the query names one', () => {
    expect(asked('a | count by day', {}, 'Europe/Berlin')).to.include('| tz "Europe/Berlin" | people');
    expect(asked('a | tz "UTC"', {}, 'Europe/Berlin')).to.equal('a | tz "UTC" | people');
  });

  it('knows the people of each source of behavior', () => {
    expect(asked('paths from a', { paths: ['a -> "b"', 'a'] })).to.equal('paths from a | people | having path in ("a -> \\"b\\"", "a")');
    expect(asked('stickiness a | last 30d', { which: '3' })).to.equal('stickiness a | last 30d | people 3');
    expect(asked('choice k | results e | by _os', { chosen: { variant: 'b', _os: null, converted: true } })).to.equal('choice k | results e | by _os | people | having "variant" = "b" and "_os" = null and "converted" = true');
    expect(asked('lifecycle a | by week | last 12w', { which: 'new', range: { from: '2026-03-02', to: '2026-03-09' } })).to.equal('lifecycle a | by week | from "2026-03-02" to "2026-03-09" | people new');
  }); // prettier-ignore

  it('lists profiles and events where the language has no people for the source, or they are of one session', () => {
    expect(asked('users | last 7d | count by user.plan | top 3', { chosen: { 'user.plan': 'pro' } })).to.equal('users | last 7d | where user.plan = "pro" | list');
    expect(asked('user "x" | count by day, event_type', { chosen: { day: '2026-03-02', event_type: 'a' }, range: { from: '2026-03-02', to: '2026-03-03' } })).to.equal('user "x" | from "2026-03-02" to "2026-03-03" | where event_type = "a" | list');
    expect(asked('a | count by distinct_id', { chosen: { distinct_id: 'x' } })).to.equal('a | where distinct_id = "x" | list');
    expect(asked('sessions | last 7d | max session.duration by session_id', { chosen: { session_id: 's' } })).to.equal('* | last 7d | where session_id = "s" | list');
    expect(asked('inspect *', { chosen: { event_type: 'a b' }, metric: 'count' })).to.equal('"a b" | last 30d | list');
    expect(asked('inspect | last 7d', { chosen: { event_type: 'a' }, metric: 'users' })).to.equal('"a" | last 7d | people');
  }); // prettier-ignore

  it('is a query that the language takes, also behind comments, without a source, and with bars in texts', () => {
    const cases: readonly (readonly [q: string, part?: AnswerPart])[] = [
      ['| count by day'],
      ['a # x | y\n| count by _os # z', { chosen: { _os: 'x' } }],
      ['* | where _url = "a|b" | sum event_properties.n by week'],
      ['a | avg of count[_os = "x"] per session_id by day # x'],
      ['sessions'],
      ['sessions | max session.duration by session_id', { chosen: { session_id: 's' } }],
      ['funnel a -> b | by _os | compare previous', { which: 'dropped 1', chosen: { _os: 'x' } }],
      ['paths from a | depth 3', { paths: ['a -> b'] }],
      ['stickiness a', { which: '2' }],
      ['choice "k" | results e', { chosen: { variant: 'b', converted: true } }],
      ['choice "k" | count by variant_key', { chosen: { variant_key: 'b' } }],
      ['lifecycle a | by week', { which: 'dormant', range: { from: '2026-03-02', to: '2026-03-09' } }],
      ['users | count by email_domain', { chosen: { email_domain: null } }],
      ['user "x" | count by event_type', { chosen: { event_type: 'a' } }],
      ['* | count by each event_properties.items, distinct_id', { chosen: { 'each event_properties.items': 'a' } }],
      ['inspect', { chosen: { event_type: 'count' }, metric: 'count' }],
    ];
    for (const [q, part] of cases) {
      const query = new Behind(q, 'UTC').of(part ?? {});
      const compile = (): unknown => compileQuery(query ?? '', { now: 0, timezone: { project: 'UTC' }, limit: 100, offset: 0 }); // prettier-ignore
      expect(query, q).to.not.equal(null);
      expect(compile, `${q} → ${query}`).to.not.throw();
    }
  });

  it('is none where the language has none, or it would be of others', () => {
    for (const q of ['formula count(a)', 'inspect *', 'inspect a', 'fields', 'a | list', 'a | latest _os', 'funnel a -> b | unit session_id', 'retention a | sum event_properties.n', 'a | people', 'a | unique by day | rolling 28d', 'lifecycle a', 'stickiness a', 'sessions | count[session.duration > 9]'])
      expect(asked(q), q).to.equal(null);
    expect(asked('users | count by day', { chosen: { day: '2026-03-02' } })).to.equal(null);
    expect(asked('paths from a', { paths: ['x'.repeat(20_000)] })).to.equal(null);
  }); // prettier-ignore
});
