import { expect } from 'chai';
import { columnsOf } from '../../lib/dsl/plan/columns.ts';
import type { Metric } from '../../lib/dsl/plan/plan.ts';
import { expectError, planAs, planOf } from './queries.ts';

function columns(query: string): string[] {
  return columnsOf(planOf(query)).map(({ name }) => name);
}

function metrics(query: string): readonly Metric[] {
  return planAs('aggregate', query).metrics;
}

describe('metrics', () => {
  it('are named by their stage, a second one of the name with its field', () => {
    expect(columns('* | COUNT, Unique, sum event_properties.a, SUM event_properties."b c", p95 time')).to.deep.equal([
      ...['count', 'unique', 'sum', 'sum(event_properties."b c")', 'p95'],
    ]);
    expect(columns('* | unique user_id, unique, unique device_id')).to.deep.equal([
      ...['unique', 'unique(distinct_id)', 'unique(device_id)'],
    ]);
    expect(columns('users | unique user.a, unique')).to.deep.equal(['unique', 'unique(user_id)']);
    expect(columns('* | p5 time, p50 time, median time')).to.deep.equal(['p5', 'p50', 'median']);
  });

  it('are an error when the same one of the same field stands twice', () => {
    expectError('* | count, ▲count', 'each metric once');
    expectError('* | unique, sum time, ▲unique distinct_id', 'each metric once');
    expectError('* | sum _latitude, ▲sum _geo_latitude', 'each metric once');
    expectError('* | p95 time, ▲P95 time', 'each metric once');
    expect(() => planOf('* | sum user.a, sum event_properties.a, min user.a')).not.to.throw();
  });

  it('have the fields and percentiles asked for', () => {
    const a = { kind: 'event', path: 'a' };
    expect(metrics('* | median event_properties.a, p1 event_properties.a, p99 event_properties.a')).to.deep.equal([
      { kind: 'percentile', p: 50, field: a, column: 'median' },
      { kind: 'percentile', p: 1, field: a, column: 'p1' },
      { kind: 'percentile', p: 99, field: a, column: 'p99' },
    ]);
    expect(metrics('* | unique')).to.deep.equal([
      { kind: 'unique', field: { kind: 'core', name: 'distinct_id' }, column: 'unique' },
    ]);
    expect(planAs('users', 'users | unique').metrics).to.deep.equal([
      { kind: 'unique', field: { kind: 'account', name: 'user_id' }, column: 'unique' },
    ]);
    expect(planAs('latest', '* | latest user.x | unique').metrics).to.deep.equal([
      { kind: 'unique', field: { kind: 'latest', name: 'entity' }, column: 'unique' },
    ]);
  });

  it('want their field', () => {
    expectError('* | sum▲', 'expected a field');
    expectError('* | sum ▲by day', 'expected a field, found `by`');
    expectError('* | count, ▲', 'expected a metric');
    expectError('* | count, ▲day', 'expected a metric');
    expectError('* | count, ▲medain time', 'did you mean `median`?');
    expectError('* | unique ▲plan', 'expected a field');
    const many = Array.from({ length: 128 }, (_, i) => `sum user.k${i}`).join(', ');
    expect(() => planOf(`* | ${many}`)).not.to.throw();
    expectError(`* | ${many}, ▲count`, 'at most 128 metrics');
    const fields = Array.from({ length: 128 }, (_, nth) => `event_properties.a${nth}`).join(', ');
    expectError(`* | list ${fields}, ▲time`, 'at most 128 fields');
  });
});

describe('groups', () => {
  it('are named as typed', () => {
    expect(columns('* | count by DAY, _geo_country, event_properties."a b"')).to.deep.equal([
      ...['DAY', '_geo_country', 'event_properties."a b"', 'count'],
    ]);
  });

  it('stand once each', () => {
    expectError('* | count by day, user.a, ▲day', 'each group once');
    expectError('* | by user.a, ▲user.a', 'each group once');
    const many = Array.from({ length: 32 }, (_, i) => `user.k${i}`).join(', ');
    expectError(`* | by ${many}, ▲day`, 'at most 32 groups');
  });

  it('count without a metric', () => {
    expect(columns('* | by day')).to.deep.equal(['day', 'count']);
    expect(columns('user "u" | by day')).to.deep.equal(['day', 'count']);
    expect(columns('users | by email_domain')).to.deep.equal(['email_domain', 'count']);
    expect(columns('* | latest user.x | by last_value, day')).to.deep.equal(['last_value', 'day', 'count']);
  });

  it('of latest are fields of its rows', () => {
    expectError('* | latest user.x | by ▲user.y', 'entity, last_value and set_at');
    expectError('* | by ▲user.y | latest user.x', 'entity, last_value and set_at');
  });

  it('of retention are at most one of day, week and month, and fields', () => {
    expect(planAs('retention', 'retention a | by Day, user.plan')).to.deep.include({
      unit: 'day',
      groups: [{ kind: 'field', field: { kind: 'profile', path: 'plan' }, column: 'user.plan' }],
    });
    expectError('retention a | by ▲hour', 'expected one of day, week, month');
    expectError('retention a | by day, ▲week', 'only one bucket');
  });

  it('of a lifecycle are one of day, week and month', () => {
    expect(planAs('lifecycle', 'lifecycle a | by MONTH')).to.include({ unit: 'month', column: 'MONTH' });
    expectError('lifecycle a | by ▲quarter', 'expected one of day, week, month');
    expectError('lifecycle a | by ▲user.plan', 'expected one of day, week, month');
    expectError('lifecycle a | by day, ▲week', 'only one bucket');
  });

  it('of a formula are as those of events, with or without a bar before them', () => {
    const { groups } = planAs('formula', 'formula count(a) by hour, user.plan-b');
    expect(groups).to.deep.equal([
      { kind: 'bucket', unit: 'hour', column: 'hour' },
      { kind: 'field', field: { kind: 'profile', path: 'plan-b' }, column: 'user.plan-b' },
    ]);
    expect(planAs('formula', 'formula count(a) | by hour, user.plan-b').groups).to.deep.equal(groups);
    expectError('formula count(a) by day | ▲by week', 'expected the groups once');
    expectError('formula count(a) / ▲by day', 'expected a number');
  });

  it('of paths are one field that labels the nodes', () => {
    expect(planAs('paths', 'paths to a | by _path_clean').label).to.deep.equal({
      kind: 'enriched',
      name: '_path_clean',
    });
    expectError('paths to a | by ▲day', 'no time buckets');
    expectError('paths to a | by _path, ▲_url', 'only one field');
  });

  it('of sessions and choices have a default only where nothing is asked for', () => {
    expect(columns('sessions')).to.deep.equal(['day', 'sessions', 'avg_duration', 'avg_events', 'bounce_rate']);
    expect(columns('sessions | by session.country')[0]).to.equal('session.country');
    expect(columns('sessions | count')).to.deep.equal(['count']);
    expect(columns('choice k')).to.deep.equal(['variant_key', 'count']);
    expect(columns('choice k | unique')).to.deep.equal(['unique']);
    expect(columns('choice k | by day')).to.deep.equal(['day', 'count']);
  });
});

describe('rows', () => {
  it('are listed without a metric of users, latest and user', () => {
    expect(columns('users')).to.deep.equal([
      ...['user_id', 'email', 'email_domain', 'first_seen', 'last_seen', 'properties'],
    ]);
    expect(columns('users | list')).to.deep.equal(columns('users'));
    expect(columns('* | latest user.x')).to.deep.equal(['entity', 'last_value', 'set_at']);
    expect(planOf('user "u"').kind).to.equal('list');
    expect(planOf('user "u" | count').kind).to.equal('aggregate');
  });

  it('of a choice are counted exposures of its key', () => {
    const plan = planAs('aggregate', 'choice k | where user.a exists');
    expect(plan.event).to.equal('choice.exposure');
    expect(plan.where).to.deep.nested.include({
      'terms[0]': {
        kind: 'test',
        field: { kind: 'event', path: 'choice_key' },
        test: { op: 'equals', literal: { type: 'string', value: 'k' } },
      },
    });
  });

  it('of results are of persons, or of a unit', () => {
    expect(planAs('choice', 'choice k | results *')).to.deep.include({
      choice: 'k',
      conversion: null,
      unit: { kind: 'core', name: 'distinct_id' },
      window: { count: 7, unit: 'd' },
    });
    expect(planAs('choice', 'choice k | results buy | unit event_properties.team').unit).to.deep.equal({
      kind: 'event',
      path: 'team',
    });
  });

  it('are cut by limit, top and the page of the request', () => {
    expect(planOf('* | count by day | top 5')).to.include({ limit: 5, offset: 0 });
    expect(planOf('* | list | limit 5 | offset 3', { limit: 10, offset: 2 })).to.deep.include({
      limit: 5,
      offset: 3,
      page: { limit: 10, offset: 2 },
    });
    expect(planOf('*').limit).to.equal(null);
    expect(planOf('paths from a').limit).to.equal(20);
    expect(planOf('paths from a | limit 50').limit).to.equal(50);
    expect(planOf('paths from a | top 7')).to.deep.include({ limit: 7, order: { kind: 'top' } });
  });
});

describe('sort', () => {
  it('takes a column as printed', () => {
    const order = (query: string) => planOf(query).order;
    expect(order('* | count, unique by day | sort unique asc')).to.deep.equal({
      kind: 'sort',
      column: 2,
      descending: false,
    });
    expect(order('* | sum user.a, sum user.b | sort sum(user.b)')).to.deep.include({ column: 1 });
    expect(order('* | sum user.a, sum user.b | sort SUM( user.b )')).to.deep.include({ column: 1 });
    expect(order('* | count by event_properties."a b" | sort event_properties."a b"')).to.deep.include({ column: 0 });
    expect(order('* | count by user.a | sort "user.a" desc')).to.deep.include({ column: 0, descending: true });
    expect(order('formula count(a-b) / unique(c, user_id) | sort count(a-b)')).to.deep.include({ column: 0 });
    expect(order('formula unique("c d",user_id) | sort unique("c d", user_id)')).to.deep.include({ column: 0 });
    expect(order('formula count(*) | sort count(*) asc')).to.deep.include({ column: 0 });
    expect(order('* | by day | sort day')).to.deep.include({ column: 0 });
    expect(order('* | list | sort time')).to.deep.equal({ kind: 'sort', column: 0, descending: false });
    expect(order('* | list | sort _longitude desc')).to.deep.include({ column: 32 });
    expect(order('sessions | sort bounce_rate')).to.deep.include({ column: 4 });
    expect(order('choice k | results a | sort lift')).to.deep.include({ column: 4, descending: true });
  });

  it('descends by metrics and ascends by everything else, unless told', () => {
    const descending = (query: string): unknown =>
      Object.entries(planOf(query).order).find(([key]) => key === 'descending')?.[1];
    expect(descending('* | count by day | sort count')).to.equal(true);
    expect(descending('* | count by day | sort count ASC')).to.equal(false);
    expect(descending('* | count by day | sort day')).to.equal(false);
    expect(descending('* | count by user.a | sort user.a')).to.equal(false);
    expect(descending('* | max time by user.a | sort max')).to.equal(true);
    expect(descending('users | sort last_seen')).to.equal(false);
    expect(descending('* | latest user.x | sort set_at')).to.equal(false);
    expect(descending('formula count(a) | by day | sort value')).to.equal(true);
    expect(descending('choice k | results a | sort variant')).to.equal(false);
  });

  it('lists the columns where the answer lacks one, at the column', () => {
    expectError('* | count by day | sort ▲unique', 'expected a column of the answer: day, count');
    expectError('* | count by Day | sort ▲day', 'Day, count');
    expectError('* | count by _geo_country | sort ▲_country', '_geo_country, count');
    expectError('* | sum user.a | sort ▲sum(user.a)', ': sum');
    expectError('* | count by day | sort ▲by', 'day, count');
    expectError('* | count | sort ▲desc', 'expected a column of the answer: count');
    expectError('* | list | sort ▲count', 'time, event_type');
    expectError('* | count | sort▲', 'expected a column');
    expectError('* | count | sort count(▲| limit 1', 'expected `)`');
    expectError('* | sort ▲event_properties."a"', 'expected a column of the answer: count');
  });

  it('needs a metric for top', () => {
    expectError('* | list | ▲top 5', 'expected a metric');
    expectError('users | ▲top 5', 'to cut rows, use `limit`');
    expectError('* | latest user.x | ▲top 5', 'expected a metric');
    expect(planOf('users | by email_domain | top 5').order).to.deep.equal({ kind: 'top' });
    expect(planOf('sessions | top 5').order).to.deep.equal({ kind: 'top' });
  });
});
