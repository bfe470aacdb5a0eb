import { expect } from 'chai';
import { answerColumns, askedMetrics, columnsOf } from '../../../lib/dsl/plan/columns.ts';
import type { Field, Plan } from '../../../lib/dsl/plan/plan.ts';
import { compile } from '../../support/compile.ts';
import { aggregate, base, byField, byTime, count, DAY, JANUARY, property, sum } from '../plans.ts';

const distinctId: Field = { kind: 'core', name: 'distinct_id' };
const timeField: Field = { kind: 'core', name: 'time' };
const events = { event: 'buy', person: null } as const;

function names(plan: Plan): string[] {
  return columnsOf(plan).map((column) => column.name);
}

function kinds(plan: Plan): string[] {
  return columnsOf(plan).map((column) => `${column.role}:${column.type}`);
}

const funnelOf = {
  ...({ kind: 'funnel', steps: [], exclude: [], stepOrder: 'given' } as const),
  ...{ same: null, unit: null, times: [] },
};

describe('columnsOf', () => {
  it('has groups as typed, then metrics', () => {
    const plan = aggregate({ groups: [byField('plan'), byTime('day')], metrics: [count, sum('amount')] });
    expect(columnsOf(plan)).to.deep.equal([
      { name: 'event_properties.plan', type: 'string', role: 'group' },
      { name: 'day', type: 'string', role: 'bucket' },
      { name: 'count', type: 'number', role: 'metric' },
      { name: 'sum', type: 'number', role: 'metric' },
    ]);
  });

  it('makes times of the min and max of a time field', () => {
    const plan = aggregate({
      metrics: [
        { kind: 'min', field: timeField, column: 'min' },
        { kind: 'max', field: property('amount'), column: 'max' },
        { kind: 'avg', field: timeField, column: 'avg' },
      ],
    });
    expect(kinds(plan)).to.deep.equal(['metric:time', 'metric:number', 'metric:number']);
  });

  it('lists events with all that is known of them', () => {
    const plan: Plan = { ...base, kind: 'list', ...events };
    expect(names(plan).slice(0, 10)).to.deep.equal([
      ...['time', 'event_type', 'distinct_id', 'user_id', 'device_id', 'session_id', 'insert_id'],
      ...['event_properties', 'user_properties', '_browser'],
    ]);
    expect(names(plan)).to.have.length(9 + 25);
    expect(kinds(plan).slice(6, 9)).to.deep.equal(['value:string', 'value:json', 'value:json']);
  });

  it('answers latest and users with rows, or with metrics over them', () => {
    const latest: Plan = {
      ...base,
      kind: 'latest',
      ...events,
      field: property('plan'),
      entity: distinctId,
      asOf: null,
      whereRows: null,
      groups: [],
      metrics: [],
    };
    expect(names(latest)).to.deep.equal(['entity', 'last_value', 'set_at']);
    expect(names({ ...latest, metrics: [count] })).to.deep.equal(['count']);
    const users: Plan = { ...base, kind: 'users', groups: [], metrics: [] };
    expect(names(users)).to.deep.equal(['user_id', 'email', 'email_domain', 'first_seen', 'last_seen', 'properties']);
    expect(names({ ...users, groups: [byTime('day')], metrics: [count] })).to.deep.equal(['day', 'count']);
  });

  it('gives sessions their four metrics, unless others are asked for', () => {
    const sessions: Plan = { ...base, kind: 'sessions', whereRows: null, groups: [byTime('day')], metrics: [] };
    expect(names(sessions)).to.deep.equal(['day', 'sessions', 'avg_duration', 'avg_events', 'bounce_rate']);
    expect(names({ ...sessions, metrics: [count] })).to.deep.equal(['day', 'count']);
  });

  it('has a column per operand of a formula, and its value', () => {
    const plan: Plan = {
      ...base,
      kind: 'formula',
      groups: [byTime('week')],
      operands: [{ event: 'buy', metric: { kind: 'count', column: 'count(buy)' } }],
      expression: { kind: 'operand', index: 0 },
    };
    expect(names(plan)).to.deep.equal(['week', 'count(buy)', 'value']);
    expect(names({ ...plan, groups: [] })).to.deep.equal(['count(buy)', 'value']);
  });

  it('has a period of retention for every bucket that the range touches, at most 12 after the first', () => {
    const plan: Plan = {
      ...base,
      kind: 'retention',
      event: 'a',
      returning: null,
      unit: 'day',
      groups: [byField('plan')],
      ...{ first: false, periods: null, unbounded: false, metrics: [], cumulative: false },
    };
    expect(names(plan)).to.deep.equal(['event_properties.plan', 'cohort', 'users', 'day_0', 'day_1', 'day_2']);
    expect(kinds(plan).slice(1, 4)).to.deep.equal(['bucket:string', 'metric:number', 'period:number']);
    const cut = { ...plan, range: { from: JANUARY + 1, to: JANUARY + DAY + 1 } };
    expect(names(cut).slice(3)).to.deep.equal(['day_0', 'day_1']);
    const long = { ...plan, range: { from: JANUARY, to: JANUARY + 90 * DAY } };
    expect(names(long).at(-1)).to.equal('day_12');
  });

  it('knows those of metrics that a query asks for, which stay in Markdown when they are empty', () => {
    const asked = (query: string): readonly string[] => {
      const { bound } = compile(query, { now: JANUARY, timezone: null, limit: 100, offset: 0 }, []);
      return askedMetrics(bound).map((at) => answerColumns(bound)[at]!.name);
    };
    expect(asked('a | count, sum event_properties.n as total by user_id')).to.deep.equal(['count', 'total']);
    expect(asked('formula count(a) / count(b)')).to.deep.equal(['count(a)', 'count(b)', 'value']);
    expect(asked('funnel a -> b | avg as mean, p90')).to.deep.equal(['mean', 'p90_seconds']);
    expect(asked('retention a | sum event_properties.n by day | periods 9 | last 1d')).to.deep.equal([
      ...['users', 'day_0', 'day_1'],
    ]);
    expect(asked('retention a | by day')).to.deep.equal([]);
    expect(asked('attribution a | by user_id | sum event_properties.n as total')).to.deep.equal(['total']);
    expect(asked('a | list user_id | sort (event_properties.n * 2)')).to.deep.equal(['user_id']);
  });

  it('knows the fixed tables', () => {
    const window = { count: 30, unit: 'd' } as const;
    const funnel: Plan = { ...base, ...funnelOf, window, groups: [byField('plan')] };
    expect(names(funnel)).to.deep.equal([
      ...['event_properties.plan', 'step', 'event', 'users', 'conversion', 'step_conversion', 'median_seconds'],
    ]);
    const paths: Plan = { ...base, kind: 'paths', direction: 'from', event: 'a', window, depth: 5, label: distinctId };
    expect(names(paths)).to.deep.equal(['path', 'users', 'share']);
    const lifecycle: Plan = { ...base, kind: 'lifecycle', event: 'a', unit: 'week', column: 'Week' };
    expect(names(lifecycle)).to.deep.equal(['Week', 'new', 'returning', 'resurrected', 'dormant']);
    expect(names({ ...base, kind: 'stickiness', event: 'a' })).to.deep.equal(['days', 'users', 'share']);
    expect(names({ ...base, kind: 'fields' })).to.deep.equal(['field', 'kind', 'type', 'events', 'coverage']);
    expect(names({ ...base, kind: 'inspect', event: null })).to.deep.equal([
      ...['event_type', 'count', 'users', 'first_seen', 'last_seen', 'properties'],
    ]);
    expect(names({ ...base, kind: 'inspect', event: 'a' })).to.deep.equal([
      ...['field', 'coverage', 'types', 'distinct', 'samples'],
    ]);
    const choice: Plan = {
      ...base,
      kind: 'choice',
      choice: 'k',
      conversion: 'a',
      unit: distinctId,
      window,
      metrics: [],
      groups: [],
    };
    expect(names(choice)).to.deep.equal([
      ...['variant', 'users', 'conversions', 'rate', 'lift', 'ci_low', 'ci_high', 'p_value', 'p_adjusted'],
    ]);
    const measured: Plan = { ...choice, metrics: [{ kind: 'sum', field: distinctId, column: 'total' }] };
    expect(names(measured)).to.deep.equal([
      ...['variant', 'users', 'total', 'mean', 'lift', 'ci_low', 'ci_high', 'p_value', 'p_adjusted'],
    ]);
  });
});
