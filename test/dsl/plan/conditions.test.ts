import { expect } from 'chai';
import type { Condition, Field, PlanLiteral, Test } from '../../../lib/dsl/plan/plan.ts';
import { expectError, planAs, planOf } from '../queries.ts';

const x: Field = { kind: 'event', path: 'x' };
const time: Field = { kind: 'core', name: 'time' };

function where(condition: string): Condition | null {
  return planOf(`inspect | where ${condition}`).where;
}

function testOf(field: Field, test: Test): Condition {
  return { kind: 'test', field, test };
}

function equals(literal: PlanLiteral): Condition {
  return testOf(x, { op: 'equals', literal });
}

const text = (value: string): PlanLiteral => ({ type: 'string', value });
const number = (value: number): PlanLiteral => ({ type: 'number', value });
const moment = (iso: string): PlanLiteral => ({ type: 'time', value: Date.parse(iso) });
const not = (term: Condition): Condition => ({ kind: 'not', term });
const exists = testOf(x, { op: 'exists' });

describe('conditions', () => {
  it('compares with literals of every type', () => {
    expect(where('event_properties.x = "a\\"b"')).to.deep.equal(equals(text('a"b')));
    expect(where('event_properties.x = 42')).to.deep.equal(equals(number(42)));
    expect(where('event_properties.x = -1.5e-3')).to.deep.equal(equals(number(-0.0015)));
    expect(where('event_properties.x=1e+2')).to.deep.equal(equals(number(100)));
    expect(where('event_properties.x = -0')).to.deep.equal(equals(number(0)));
    expect(where('event_properties.x = TRUE')).to.deep.equal(equals({ type: 'boolean', value: true }));
    expect(where('event_properties.x = false')).to.deep.equal(equals({ type: 'boolean', value: false }));
  });

  it('reads null as not exists, also in a list', () => {
    expect(where('event_properties.x = null')).to.deep.equal(not(exists));
    expect(where('event_properties.x != null')).to.deep.equal(exists);
    expect(where('event_properties.x in (null)')).to.deep.equal(not(exists));
    expect(where('event_properties.x in ("a", NULL, 1)')).to.deep.equal({
      kind: 'or',
      terms: [testOf(x, { op: 'in', literals: [text('a'), number(1)] }), not(exists)],
    });
  });

  it('spells negations out', () => {
    expect(where('event_properties.x != 1')).to.deep.equal(not(equals(number(1))));
    expect(where('event_properties.x not in [1, 2]')).to.deep.equal(
      not(testOf(x, { op: 'in', literals: [number(1), number(2)] })),
    );
    expect(where('event_properties.x not exists')).to.deep.equal(not(exists));
    expect(where('event_properties.x not contains "a"')).to.deep.equal(not(testOf(x, { op: 'contains', text: 'a' })));
    expect(where('event_properties.x !~ "^a"')).to.deep.equal(not(testOf(x, { op: 'matches', pattern: '^a' })));
  });

  it('orders numbers and texts', () => {
    for (const sign of ['>', '>=', '<', '<='] as const) {
      expect(where(`event_properties.x ${sign} 5`)).to.deep.equal(
        testOf(x, { op: 'compare', sign, literal: number(5) }),
      );
      expect(where(`event_properties.x${sign}"b"`)).to.deep.equal(
        testOf(x, { op: 'compare', sign, literal: text('b') }),
      );
      for (const literal of ['true', 'false', 'null']) {
        expectError(`* | where event_properties.x ${sign} ▲${literal}`, 'expected a number or a string');
      }
    }
  });

  it('searches the text of literals', () => {
    expect(where('event_properties.x contains 42.0')).to.deep.equal(testOf(x, { op: 'contains', text: '42' }));
    expect(where('event_properties.x contains true')).to.deep.equal(testOf(x, { op: 'contains', text: 'true' }));
    expect(where('event_properties.x ~ 404')).to.deep.equal(testOf(x, { op: 'matches', pattern: '404' }));
  });

  it('refuses at its literal a regular expression that RE2 does not take', () => {
    for (const pattern of ['(', 'a{2000}', '(?=a)', '\\\\1', '[b-a]', '*']) {
      expectError(`* | where event_properties.x ~ ▲"${pattern}"`, 'expected a regular expression');
      expectError(`* | where event_properties.x !~ ▲"${pattern}"`, 'expected a regular expression');
    }
    expect(where('event_properties.x ~ "(?i)a|\\\\d+$"')).to.deep.include({ kind: 'test' });
  });

  it('binds and tighter than or, and not tightest', () => {
    const [a, b, c] = ['a', 'b', 'c'].map((path) => testOf({ kind: 'profile', path }, { op: 'exists' }));
    expect(where('user.a exists or user.b exists and not user.c exists')).to.deep.equal({
      kind: 'or',
      terms: [a, { kind: 'and', terms: [b, not(c!)] }],
    });
    expect(where('(user.a exists OR user.b exists) AND NOT (user.c exists)')).to.deep.equal({
      kind: 'and',
      terms: [{ kind: 'or', terms: [a, b] }, not(c!)],
    });
  });

  it('compares times with time fields', () => {
    const cases = ['time', 'user.first_seen', 'user.last_seen', 'session.start_time', 'session.end_time'];
    for (const field of cases) {
      expect(where(`${field} >= "2026-01-31"`)).to.deep.nested.include({
        'test.literal': moment('2026-01-31T00:00:00Z'),
      });
      expect(where(`${field} = "2026-01-31T10:00+02:00"`)).to.deep.nested.include({
        'test.literal': moment('2026-01-31T08:00:00Z'),
      });
      expect(where(`${field} in ("2026-01-31T10:00:00.1239Z", 5)`)).to.deep.nested.include({
        'test.literals': [moment('2026-01-31T10:00:00.123Z'), { type: 'time', value: 5 }],
      });
      expectError(`* | where ${field} > ▲"yesterday"`, 'expected a time');
      expectError(`* | where ${field} != ▲"2026-02-29"`, 'expected a time');
      expectError(`* | where ${field} in (1, ▲"x")`, 'expected a time');
    }
    expectError('users | where last_seen > ▲"x"', 'expected a time');
    expectError('* | latest user.x | where set_at > ▲"x"', 'expected a time');
    expect(where('time = null')).to.deep.equal(not(testOf(time, { op: 'exists' })));
    expect(where('time contains "2026"')).to.deep.equal(testOf(time, { op: 'contains', text: '2026' }));
    expect(where('event_properties.time > "x"')).to.deep.nested.include({ 'test.literal': text('x') });
  });

  it('reads times without offset in the zone of the query', () => {
    const plan = planOf('* | tz "Asia/Kathmandu" | where time > "2026-01-31T10:00"');
    expect(plan.where).to.deep.nested.include({ 'test.literal': moment('2026-01-31T04:15:00Z') });
  });

  it('wants text in quotes', () => {
    expectError('* | where event_properties.x = ▲pro', '"pro"');
    expectError('* | where event_properties.x in ("a", ▲b)', '"b"');
    expectError('* | where time > ▲2026-01-01', '"2026-01-01"');
    expectError('* | where event_properties.x = ▲5a', '"5a"');
    expectError('* | where event_properties.x = ▲.5', 'write digits before and after the point: 0.5');
    expectError('* | where event_properties.x > ▲-5.', 'write digits before and after the point: -5');
    expectError('* | where event_properties.x > ▲- 5', 'a negative number has no blank after its `-`');
    expectError('* | where event_properties.x = ▲1e999', '64 bits');
    expectError('* | where event_properties.x = ▲event_properties."y"', 'expected a value');
  });

  it('points at what a condition lacks', () => {
    expectError('* | where▲', 'expected a condition');
    expectError('* | where ▲= 1', 'expected a condition');
    expectError('* | where ▲"event_type" = "a"', 'write a field without quotes');
    expectError('* | where ▲count = 1', 'expected a condition');
    expectError('* | where event_type ▲is null', '`= null`');
    expectError('* | where event_type ▲contians "a"', 'did you mean `contains`?');
    expectError('* | where event_type ▲like "a"', '`contains "text"`');
    expectError('* | where event_properties.n ▲between 1 and 2', 'two comparisons');
    expectError('* | where event_type <▲> "a"', '`!=`');
    expectError('* | where event_properties.n =▲> 1', '`>=`');
    expectError('* | where event_properties.n =▲< 1', '`<=`');
    expectError('* | where event_properties.n = 1 |▲| time exists', '`or` joins conditions');
    expectError('* | where event_type not ▲like "a"', 'after `not`');
    expectError('* | where event_type =▲= "a"', 'use a single `=` for equality');
    expectError('* | where event_type =▲', 'expected a value');
    expectError('* | where event_type in ▲"a"', 'expected a list');
    expectError('* | where event_type in (▲)', 'expected a value');
    expectError('* | where event_type in ("a"▲]', 'expected `,` or `)`');
    expectError('* | where event_type in ["a", "b"▲', 'expected `,` or `]`');
    expectError('* | where (event_type exists ▲| count', 'expected `and`, `or` or `)`');
    expectError('* | where event_type exists and ▲', 'expected a condition');
    expectError('* | where event_type exists ▲& user_id exists', 'unexpected character "&"');
    expectError('* | where not ▲', 'expected a condition');
  });

  it('bounds how deep and how many conditions are', () => {
    const nest = (depth: number): string => `* | where ${'('.repeat(depth)}time exists${')'.repeat(depth)}`;
    expect(() => planOf(nest(64))).not.to.throw();
    expectError(`* | where ${'('.repeat(65)}▲time exists`, 'at most 64');
    expectError(`* | where ${'not '.repeat(65)}▲time exists`, 'at most 64');
    const many = (count: number): string => Array.from({ length: count }, () => 'time=1').join(' or ');
    expect(() => planOf(`* | where ${many(1_000)}`)).not.to.throw();
    expectError(`* | where ${many(1_000)} or ▲time=1`, 'at most 1000 conditions');
  });
});

describe('where after latest', () => {
  it('filters the rows of latest, and before it events', () => {
    const plan = planAs(
      'latest',
      '* | where user.x = 1 | latest event_properties.x | where last_value = "a" | where set_at > 5',
    );
    expect(plan.where).to.deep.nested.include({ 'field.kind': 'profile' });
    expect(plan.whereRows).to.deep.equal({
      kind: 'and',
      terms: [
        testOf({ kind: 'latest', name: 'last_value' }, { op: 'equals', literal: text('a') }),
        testOf({ kind: 'latest', name: 'set_at' }, { op: 'compare', sign: '>', literal: { type: 'time', value: 5 } }),
      ],
    });
  });

  it('knows only entity, last_value and set_at', () => {
    expectError('* | latest event_properties.x | where ▲event_properties.x = 1', 'entity, last_value and set_at');
    expectError('* | where ▲last_value = 1 | latest event_properties.x', 'expected a field');
  });
});

describe('where of sessions', () => {
  it('divides conditions on events from those on sessions', () => {
    const plan = planAs(
      'sessions',
      'sessions | where _country = "NP" and (session.duration > 5 and not session.city = "x") | where user.a = 1',
    );
    expect(plan.where).to.have.nested.property('terms.length', 2);
    expect(plan.whereRows).to.have.nested.property('terms.length', 2);
    expect(planAs('sessions', 'sessions | where session.duration > 5').where).to.equal(null);
    expect(planAs('sessions', 'sessions | where _country = "NP"').whereRows).to.equal(null);
  });

  it('takes or and not over one side', () => {
    const plan = planAs(
      'sessions',
      'sessions | where (_country = "NP" or _city = "x") and not (session.duration > 5 or session.city = "x")',
    );
    expect(plan.where).to.include({ kind: 'or' });
    expect(plan.whereRows).to.include({ kind: 'not' });
  });

  it('refuses or and not over both sides', () => {
    expectError('sessions | where _city = "x" ▲or session.duration > 5', 'only be joined with `and`');
    expectError(
      'sessions | where _city = "x" or _city = "y" ▲or session.duration > 5 or session.city = "x"',
      'only be joined with `and`',
    );
    expectError('sessions | where ▲not (_city = "x" and session.duration > 5)', 'only be joined with `and`');
    expectError('sessions | where time > 5 and (_city = "x" ▲or session.duration > 5)', 'only be joined with `and`');
    expectError('sessions | where (_city = "x" and session.duration > 5) ▲or time > 5', 'only be joined with `and`');
  });

  it('tells an unknown field before a mixture', () => {
    expectError('sessions | where _city = "x" or ▲session.durations > 5', 'did you mean `session.duration`?');
  });

  it('takes session.* beside anything in other sources', () => {
    expect(() => planOf('* | where _city = "x" or session.duration > 5')).not.to.throw();
  });
});
