/** What random queries are made of: fields, conditions, metrics, groups and stages. */
import fc from 'fast-check';
import {
  eventCondition,
  eventOnlyCondition,
  LAST_SESSION_FIELDS,
  PLAIN_FIELDS,
  quoted,
  SESSION_FIELDS,
  TIME_FIELDS,
} from './conditions.ts';
import { EVENTS, USERS } from './worlds.ts';

export type Text = fc.Arbitrary<string>;

const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'Pacific/Apia'];
export const event = fc.constantFrom(...EVENTS).map((name) => (/^[a-z.]+$/.test(name) ? name : quoted(name)));
export const eventOrAny = fc.oneof({ weight: 1, arbitrary: event }, { weight: 1, arbitrary: fc.constant('*') });

export const range = fc.constantFrom(
  '',
  'last 1 h',
  'last 2d',
  'last 3 W',
  'last 1 mo',
  'last 2 q',
  'today',
  'yesterday',
  'this week',
  'this month',
  'this quarter',
  'from 2026-03-01',
  'from 2026-03-24T10:00 to 2026-03-24T11:00',
  'from 2026-02-28T23:59:59.999 to 2026-03-29',
  'from "2026-03-24T10:00Z" to 2026-03-30',
  'from 2026-01-01 to 2026-03-30T10:00:00.001',
  ...Array<string>(16).fill('from 2025-01-01'),
  ...Array<string>(10).fill('from 2026-02-28'),
);
/** Ranges that do not divide into thousands of hours. */
export const shortRange = fc.constantFrom('', 'last 2d', 'this week', 'from 2026-03-24T09:30 to 2026-03-24T12:00', 'from 2026-03-07 to 2026-03-09', 'from 2026-03-28T22:00Z to 2026-03-29T04:30Z'); // prettier-ignore
export const zone = fc.oneof(
  fc.constant(''),
  fc.constantFrom(...ZONES).map((name) => `tz "${name}"`),
);
export const weeks = fc.constantFrom('', '', 'weeks from sunday', 'weeks from monday');
export const cut = fc.constantFrom('', '', '', 'limit 3', 'limit 1', 'offset 1', 'offset 2 | limit 2');

/** Stages joined in a random order; empty ones are left out. */
export function pipe(source: Text, ...stages: readonly Text[]): Text {
  return fc.tuple(source, fc.tuple(...stages), fc.infiniteStream(fc.nat())).map(([first, rest, order]) => {
    const parts = rest.filter((part) => part !== '').map((part) => ({ part, rank: order.next().value }));
    return [first, ...parts.sort((a, b) => a.rank - b.rank).map(({ part }) => part)].join(' | ');
  });
}

/** Stages in the given order. */
export function inOrder(source: Text, ...stages: readonly Text[]): Text {
  return fc
    .tuple(source, ...stages)
    .map((parts) => parts.filter((part, index) => index === 0 || part !== '').join(' | '));
}

/** Sometimes a condition in brackets. */
export const filterOf = (condition: Text): Text =>
  fc.oneof({ weight: 4, arbitrary: fc.constant('') }, { weight: 1, arbitrary: condition.map((one) => `[${one}]`) });

/** What a person did. */
export const did: Text = fc.tuple(
  eventOrAny,
  filterOf(eventCondition),
  fc.constantFrom('', '', ' >= 2', ' = 0', ' != 1', ' < 3', ' > 1', ' <= 4', ' = 1'),
  fc.oneof(
    fc.constantFrom('', '', ' in all', ' in last 2d', ' in last 1 mo', ' in last 3w', ' in since 2026-03-01', ' in from 2026-03-08 to 2026-03-24T10:00:00.001Z'),
    fc.tuple(fc.constantFrom('1h', '2d', '1 mo', '3w'), eventOrAny).map(([length, of]) => ` within ${length} of ${of}`),
  ),
).map(([name, filter, times, span]) => `did(${name}${filter})${times}${span}`); // prettier-ignore

/** Who is in a cohort, as a condition or a group. */
const cohort: Text = fc.constantFrom('cohort "doers"', 'cohort "rich"', 'cohort "both"');
const ofPersons: Text = fc.oneof({ weight: 3, arbitrary: did }, { weight: 1, arbitrary: cohort });

/** A `where` of such conditions, sometimes of what persons did; often none. */
export const whereOf = (condition: Text): Text =>
  fc.oneof(
    { weight: 4, arbitrary: fc.constant('') },
    { weight: 4, arbitrary: condition.map((one) => `where ${one}`) },
    { weight: 1, arbitrary: fc.oneof(ofPersons, ofPersons.map((one) => `not ${one}`)).map((one) => `where ${one}`) },
    { weight: 1, arbitrary: fc.tuple(condition, fc.constantFrom('and', 'or', 'and not'), ofPersons).map((parts) => `where ${parts.join(' ')}`) },
  ); // prettier-ignore

export const whereEvent = whereOf(eventCondition);
export const whereEventOnly = whereOf(eventOnlyCondition);

export const groupField = fc.constantFrom(
  'insert_id',
  ...PLAIN_FIELDS,
  ...PLAIN_FIELDS,
  ...TIME_FIELDS,
  ...SESSION_FIELDS,
  ...LAST_SESSION_FIELDS,
);
export const groupFieldOrCohort = fc.oneof({ weight: 12, arbitrary: groupField }, { weight: 1, arbitrary: cohort });
export const longBucket = fc.constantFrom('day', 'week', 'month', 'quarter', 'year');
export const part = fc.constantFrom('weekday', 'hour_of_day', 'day_of_month', 'month_of_year');
/** Numbers in bins, of widths of which some quotients are no floats or no whole ones. */
export const binsOf = (fields: Text): Text =>
  fc
    .tuple(fields, fc.constantFrom('10', '7', '0.1', '1e-300', '1e300'))
    .map(([field, width]) => `${field} bin ${width}`);
export const eachOf = (fields: Text): Text => fields.map((field) => `each ${field}`);

export interface Metrics {
  readonly text: string;
  readonly columns: readonly string[];
  /** Whether the columns hold times, which are compared with times only. */
  readonly areTimes?: boolean;
}

/** Metrics with distinct names, so that each column has its metric's name, or an alias. */
export function metricsOver(fields: Text, numeric: Text, condition: Text): fc.Arbitrary<Metrics> {
  const one = fc.oneof(
    { weight: 3, arbitrary: fc.constant('count') },
    { weight: 3, arbitrary: fc.oneof(fc.constant('unique'), fields.map((field) => `unique ${field}`)) },
    { weight: 2, arbitrary: fields.map((field) => `mode ${field}`) },
    { weight: 4, arbitrary: fc.tuple(fc.constantFrom('sum', 'avg', 'min', 'max', 'median', 'stddev', 'p5', 'p90'), numeric).map((parts) => parts.join(' ')) },
  ); // prettier-ignore
  const nameOf = (metric: string): string => metric.split(' ')[0] ?? '';
  // A metric of metrics is given a name, as its own is all of it.
  const several = fc.tuple(fc.constantFrom('sum', 'avg', 'min', 'max', 'median', 'stddev', 'p5', 'p90'), fc.oneof(fc.constant('count'), fields.map((field) => `unique ${field}`), fc.tuple(fc.constantFrom('sum', 'avg', 'max', 'median', 'stddev'), numeric).map((parts) => parts.join(' '))), filterOf(condition), fields).map(([outer, inner, filter, per]) => ({ text: `${outer} of ${inner}${filter} per ${per} as the_${outer}`, name: `the_${outer}` })); // prettier-ignore
  const named = fc.tuple(one, filterOf(condition), fc.constantFrom('', '', ' as ')).map(([metric, filter, as]) => {
    const name = as === '' && filter === '' ? nameOf(metric) : `the_${nameOf(metric)}`;
    return { text: metric + filter + (name === nameOf(metric) ? '' : ` as ${name}`), name };
  });
  return fc
    .uniqueArray(fc.oneof({ weight: 6, arbitrary: named }, { weight: 1, arbitrary: several }), {
      minLength: 1,
      maxLength: 3,
      selector: ({ name }) => name.replace('the_', ''),
    })
    .map((metrics) => ({ text: metrics.map(({ text }) => text).join(', '), columns: metrics.map(({ name }) => name) }));
}

export const numericField: Text = fc.constantFrom('(event_properties.n * 2 + 1)', '(event_properties.n / event_properties.p)', '(event_properties.n - -event_properties.a."b" * 0.5)', '(user.score + event_properties.n)', 'event_properties.n', 'event_properties.n', 'event_properties.p', 'event_properties.a.b', 'user.score', 'session.duration', 'session.event_count', 'user_last_session.duration'); // prettier-ignore
const extremesOfTime = fc
  .constantFrom('min time, max time', 'max user.last_seen, count')
  .map((text) => ({ text, columns: ['max'], areTimes: true }));
export const eventMetrics = fc.oneof(
  { weight: 8, arbitrary: metricsOver(groupField, numericField, eventCondition) },
  { weight: 1, arbitrary: extremesOfTime },
);

export const having = (...conditions: readonly string[]): Text =>
  fc.constantFrom('', '', '', ...conditions.map((condition) => `having ${condition}`));

/** Of columns that may hold numbers, texts or nothing; names with quotes stand in quotes. */
function havingAny(columns: readonly string[], areTimes = false): Text {
  const test = areTimes ? fc.constantFrom('> 1', '>= "2026-03-24"', 'exists', 'not exists', '= null', 'contains "T1"') : fc.constantFrom('> 1', '>= 2.5', '= 0', '!= 3', 'exists', 'not exists', '= null', 'in (1, "a", null)', 'contains "1"', '~ "^[0-9]+$"', '< "b"', '= true'); // prettier-ignore
  const one = fc.tuple(fc.constantFrom(...columns.map((column) => (/^[\w.]+$/.test(column) ? column : quoted(column)))), test).map((parts) => parts.join(' ')); // prettier-ignore
  return fc.oneof(
    { weight: 5, arbitrary: fc.constant('') },
    { weight: 2, arbitrary: one.map((condition) => `having ${condition}`) },
    { weight: 1, arbitrary: fc.tuple(one, fc.constantFrom('and', 'or', '| having'), one).map((parts) => `having ${parts.join(' ')}`) },
  ); // prettier-ignore
}

/** A comparison with an earlier range. */
export const comparing = fc.constantFrom('', '', '', '', 'compare previous', 'compare 3d ago', 'compare 1 mo ago');

const sharing = fc.constantFrom('', '', '', 'share', 'share | having share > 0.2');

/** Metrics by groups, with an order over their columns. */
export function grouped(metrics: fc.Arbitrary<Metrics>, groups: fc.Arbitrary<readonly string[]>): Text {
  return fc.tuple(metrics, groups).chain(([{ text, columns, areTimes }, by]) => {
    const named = by.filter((group) => !group.includes('"'));
    const sortable = [...columns, ...named.map((group) => (group.includes(' ') ? quoted(group) : group))];
    const order = fc.oneof(
      { weight: 3, arbitrary: fc.constant('') },
      { weight: 2, arbitrary: fc.tuple(fc.constantFrom(...sortable), fc.constantFrom('', ' asc', ' desc')).map(([column, way]) => `sort ${column}${way}`) },
      { weight: 1, arbitrary: fc.integer({ min: 1, max: 5 }).map((n) => `top ${n}`) },
    ); // prettier-ignore
    const stage = by.length === 0 ? text : `${text} by ${by.join(', ')}`;
    return fc
      .tuple(
        order,
        havingAny([...columns, ...by], areTimes),
        columns[0] === 'count' || columns[0] === 'sum' ? sharing : fc.constant(''),
      )
      .chain(([ordered, chosen, shared]) =>
        ordered.startsWith('top')
          ? fc.constantFrom('', 'offset 1').map((skip) => joinStages(stage, ordered, chosen, shared, skip))
          : cut.map((limit) => joinStages(chosen, shared, stage, ordered, limit)),
      );
  });
}

export function joinStages(...stages: readonly string[]): string {
  return stages.filter((stage) => stage !== '').join(' | ');
}

export const someGroups = (...groups: readonly Text[]): fc.Arbitrary<readonly string[]> =>
  fc.uniqueArray(fc.oneof(...groups), { maxLength: 3 });

export const source = fc.oneof({ weight: 4, arbitrary: eventOrAny }, { weight: 1, arbitrary: fc.constant('') });
export const user = fc.constantFrom(...USERS, 'd2', 'd3', 'nobody').map((id) => `user ${quoted(id)}`);
