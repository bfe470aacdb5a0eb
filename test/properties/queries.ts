/** Random queries over the vocabulary of random worlds, as text. All are valid. */
import fc from 'fast-check';
import {
  eventCondition,
  eventOnlyCondition,
  LAST_SESSION_FIELDS,
  PLAIN_FIELDS,
  PROFILE_FIELDS,
  profileCondition,
  quoted,
  SESSION_FIELDS,
  sessionCondition,
  TIME_FIELDS,
} from './conditions.ts';
import { EVENTS, USERS } from './worlds.ts';

type Text = fc.Arbitrary<string>;

const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'Pacific/Apia'];
const event = fc.constantFrom(...EVENTS).map((name) => (/^[a-z.]+$/.test(name) ? name : quoted(name)));
const eventOrAny = fc.oneof({ weight: 1, arbitrary: event }, { weight: 1, arbitrary: fc.constant('*') });

const range = fc.constantFrom(
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
const shortRange = fc.constantFrom('', 'last 2d', 'this week', 'from 2026-03-24T09:30 to 2026-03-24T12:00', 'from 2026-03-07 to 2026-03-09', 'from 2026-03-28T22:00Z to 2026-03-29T04:30Z'); // prettier-ignore
const zone = fc.oneof(
  fc.constant(''),
  fc.constantFrom(...ZONES).map((name) => `tz "${name}"`),
);
const cut = fc.constantFrom('', '', '', 'limit 3', 'limit 1', 'offset 1', 'offset 2 | limit 2');

/** Stages joined in a random order; empty ones are left out. */
function pipe(source: Text, ...stages: readonly Text[]): Text {
  return fc.tuple(source, fc.tuple(...stages), fc.infiniteStream(fc.nat())).map(([first, rest, order]) => {
    const parts = rest.filter((part) => part !== '').map((part) => ({ part, rank: order.next().value }));
    return [first, ...parts.sort((a, b) => a.rank - b.rank).map(({ part }) => part)].join(' | ');
  });
}

/** Stages in the given order. */
function inOrder(source: Text, ...stages: readonly Text[]): Text {
  return fc
    .tuple(source, ...stages)
    .map((parts) => parts.filter((part, index) => index === 0 || part !== '').join(' | '));
}

const whereEvent = fc.oneof(
  fc.constant(''),
  eventCondition.map((condition) => `where ${condition}`),
);
const whereEventOnly = fc.oneof(
  fc.constant(''),
  eventOnlyCondition.map((condition) => `where ${condition}`),
);

const groupField = fc.constantFrom(
  'insert_id',
  ...PLAIN_FIELDS,
  ...PLAIN_FIELDS,
  ...TIME_FIELDS,
  ...SESSION_FIELDS,
  ...LAST_SESSION_FIELDS,
);
const longBucket = fc.constantFrom('day', 'week', 'month', 'quarter', 'year');

interface Metrics {
  readonly text: string;
  readonly columns: readonly string[];
}

/** Metrics with distinct names, so that each column has its metric's name. */
function metricsOver(fields: Text, numeric: Text): fc.Arbitrary<Metrics> {
  const one = fc.oneof(
    { weight: 3, arbitrary: fc.constant('count') },
    { weight: 3, arbitrary: fc.oneof(fc.constant('unique'), fields.map((field) => `unique ${field}`)) },
    { weight: 2, arbitrary: fields.map((field) => `mode ${field}`) },
    { weight: 4, arbitrary: fc.tuple(fc.constantFrom('sum', 'avg', 'min', 'max', 'median', 'stddev', 'p5', 'p90'), numeric).map((parts) => parts.join(' ')) },
  ); // prettier-ignore
  const nameOf = (metric: string): string => metric.split(' ')[0] ?? '';
  return fc
    .uniqueArray(one, { minLength: 1, maxLength: 3, selector: nameOf })
    .map((metrics) => ({ text: metrics.join(', '), columns: metrics.map(nameOf) }));
}

const numericField = fc.constantFrom('event_properties.n', 'event_properties.n', 'event_properties.p', 'event_properties.a.b', 'user.score', 'session.duration', 'session.event_count', 'user_last_session.duration'); // prettier-ignore
const extremesOfTime = fc
  .constantFrom('min time, max time', 'max user.last_seen, count')
  .map((text) => ({ text, columns: ['max'] }));
const eventMetrics = fc.oneof(
  { weight: 8, arbitrary: metricsOver(groupField, numericField) },
  { weight: 1, arbitrary: extremesOfTime },
);

/** Metrics by groups, with an order over their columns. */
function grouped(metrics: fc.Arbitrary<Metrics>, groups: fc.Arbitrary<readonly string[]>): Text {
  return fc.tuple(metrics, groups).chain(([{ text, columns }, by]) => {
    const sortable = [...columns, ...by.filter((group) => !group.includes('"'))];
    const order = fc.oneof(
      { weight: 3, arbitrary: fc.constant('') },
      { weight: 2, arbitrary: fc.tuple(fc.constantFrom(...sortable), fc.constantFrom('', ' asc', ' desc')).map(([column, way]) => `sort ${column}${way}`) },
      { weight: 1, arbitrary: fc.integer({ min: 1, max: 5 }).map((n) => `top ${n}`) },
    ); // prettier-ignore
    const stage = by.length === 0 ? text : `${text} by ${by.join(', ')}`;
    return order.chain((ordered) =>
      ordered.startsWith('top')
        ? fc.constantFrom('', 'offset 1').map((skip) => joinStages(stage, ordered, skip))
        : cut.map((limit) => joinStages(stage, ordered, limit)),
    );
  });
}

function joinStages(...stages: readonly string[]): string {
  return stages.filter((stage) => stage !== '').join(' | ');
}

const someGroups = (...groups: readonly Text[]): fc.Arbitrary<readonly string[]> =>
  fc.uniqueArray(fc.oneof(...groups), { maxLength: 3 });

const source = fc.oneof({ weight: 4, arbitrary: eventOrAny }, { weight: 1, arbitrary: fc.constant('') });
const user = fc.constantFrom(...USERS, 'd2', 'd3', 'nobody').map((id) => `user ${quoted(id)}`);

const aggregate = fc.oneof(
  pipe(fc.oneof({ weight: 6, arbitrary: source }, { weight: 1, arbitrary: user }), range, zone, whereEvent, grouped(eventMetrics, someGroups(groupField, longBucket))),
  pipe(source, shortRange, zone, whereEvent, grouped(eventMetrics, fc.oneof(fc.constant(['hour']), fc.constant(['event_type', 'hour'])))),
  // More combinations than the dense layout holds.
  pipe(source, range, zone, whereEvent, grouped(eventMetrics, fc.uniqueArray(groupField, { minLength: 2, maxLength: 4 }).map((fields) => ['hour', ...fields]))),
); // prettier-ignore

const list = pipe(
  fc.oneof({ weight: 4, arbitrary: source }, { weight: 1, arbitrary: user }),
  fc.constant('list'),
  range,
  zone,
  whereEvent,
  cut,
  fc.constantFrom(
    '',
    '',
    'sort time',
    'sort event_type desc',
    'sort distinct_id',
    'sort session_id asc',
    'sort _path',
    'sort event_properties',
    'sort user_properties desc',
  ),
);

const latest = fc.oneof(
  inOrder(
    source,
    range,
    whereEvent,
    fc.tuple(groupField, fc.oneof(fc.constant(''), fc.constantFrom('event_properties.q', 'session_id', 'device_id', 'user.plan').map((per) => ` per ${per}`))).map(([field, per]) => `latest ${field}${per}`),
    fc.constantFrom('', '', 'where last_value = 42', 'where last_value exists and entity != "ann"', 'where set_at >= "2026-03-24T10:00Z"', 'where last_value contains "x" or entity > "b"'),
    fc.constantFrom('', '', 'count', 'count by last_value', 'count by day', 'count by week, last_value', 'sum last_value, max set_at by entity', 'sort set_at', 'sort entity desc', 'sort last_value'),
    zone,
    cut,
  ),
); // prettier-ignore

const users = pipe(
  fc.constant('users'),
  fc.oneof(
    fc.constant(''),
    profileCondition.map((condition) => `where ${condition}`),
  ),
  range,
  zone,
  fc.oneof(
    cut,
    fc.constantFrom('sort first_seen', 'sort email', 'sort user_id desc'),
    grouped(
      metricsOver(fc.constantFrom(...PROFILE_FIELDS), fc.constantFrom('user.score', 'user.size')),
      someGroups(fc.constantFrom(...PROFILE_FIELDS), longBucket),
    ),
  ),
);

const operand = fc.oneof(
  fc.oneof(event, fc.constant('*')).map((name) => `count(${name})`),
  fc.oneof(event, fc.constant('*')).map((name) => `unique(${name})`),
  fc.tuple(eventOrAny, groupField).map(([name, field]) => `unique(${name}, ${field})`),
  fc.tuple(fc.constantFrom('sum', 'avg', 'min', 'max', 'median', 'stddev', 'p90'), eventOrAny, numericField).map(([metric, name, field]) => `${metric}(${name}, ${field})`),
); // prettier-ignore
const expression = fc.letrec<{ all: string; leaf: string }>((tie) => ({
  leaf: fc.oneof({ weight: 4, arbitrary: operand }, { weight: 1, arbitrary: fc.constantFrom('2', '0', '1.5') }),
  all: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    tie('leaf'),
    fc.tuple(tie('all'), fc.constantFrom('+', '-', '*', '/'), tie('all')).map(([a, op, b]) => `(${a} ${op} ${b})`),
    tie('all').map((inner) => `-${inner}`),
  ),
})).all;
const formula = pipe(
  fc.tuple(operand, expression).map(([first, rest]) => `formula ${first} + ${rest}`),
  range,
  zone,
  whereEvent,
  fc.oneof(
    fc.constant(''),
    longBucket.map((bucket) => `by ${bucket}`),
  ),
  fc.constantFrom('', 'sort value', 'sort value asc'),
  cut,
);

const shown = pipe(
  fc.oneof(
    fc.constant('fields'),
    eventOrAny.map((name) => `inspect ${name}`),
  ),
  range,
  whereEvent,
  zone,
  cut,
);

const step = fc.tuple(eventOrAny, fc.oneof({ weight: 3, arbitrary: fc.constant('') }, { weight: 1, arbitrary: eventCondition.map((condition) => `[${condition}]`) })).map((parts) => parts.join('')); // prettier-ignore
const window = fc.constantFrom('', 'window 1h', 'window 30 m', 'window 1 d', 'window 2w', 'window 1 mo');
/** For funnels also windows without a near fixed length, and one that only fits simultaneous events. */
const anyWindow = fc.oneof(window, fc.constantFrom('window 1 m', 'window 2 mo', 'window 1 Q', 'window 1 y'));
const funnel = pipe(
  fc.tuple(fc.array(step, { minLength: 2, maxLength: 4 }), fc.oneof({ weight: 2, arbitrary: fc.constant('') }, { weight: 1, arbitrary: fc.array(eventOrAny, { minLength: 1, maxLength: 2 }).map((names) => ` exclude ${names.join(', ')}`) })).map(([steps, exclude]) => `funnel ${steps.join(' -> ')}${exclude}`),
  range, zone, whereEvent, anyWindow, cut,
  fc.oneof(fc.constant(''), someGroups(groupField, longBucket).map((groups) => (groups.length === 0 ? '' : `by ${groups.join(', ')}`))),
); // prettier-ignore

const retention = pipe(
  fc.tuple(eventOrAny, fc.oneof(fc.constant(''), event.map((name) => ` returning ${name}`), fc.constant(' returning any'))).map(([name, returning]) => `retention ${name}${returning}`),
  range, zone, whereEvent, cut,
  fc.tuple(fc.constantFrom('', 'day', 'week', 'month'), fc.oneof(fc.constant(''), groupField)).map((groups) => { const some = groups.filter((group) => group !== ''); return some.length === 0 ? '' : `by ${some.join(', ')}`; }),
); // prettier-ignore

const paths = pipe(
  fc.tuple(fc.constantFrom('from', 'to'), eventOrAny).map(([way, name]) => `paths ${way} ${name}`),
  range,
  zone,
  whereEvent,
  window,
  fc.constantFrom('', 'depth 1', 'depth 3', 'depth 10'),
  fc.oneof(
    fc.constant(''),
    groupField.map((field) => `by ${field}`),
  ),
  fc.constantFrom('', 'top 2', 'limit 3', 'offset 1'),
);

const sessionField = fc.constantFrom(...PLAIN_FIELDS, ...SESSION_FIELDS, ...SESSION_FIELDS, 'session.start_time');
const sessions = pipe(
  fc.constant('sessions'),
  range,
  zone,
  whereEventOnly,
  fc.oneof(
    fc.constant(''),
    sessionCondition.map((condition) => `where ${condition}`),
  ),
  fc.oneof(
    cut,
    longBucket.map((bucket) => `by ${bucket}`),
    sessionField.map((field) => `by ${field}`),
    grouped(metricsOver(sessionField, numericField), someGroups(sessionField, longBucket)),
  ),
);

const lifecycle = pipe(
  eventOrAny.map((name) => `lifecycle ${name}`),
  range,
  zone,
  whereEventOnly,
  fc.constantFrom('', 'by day', 'by week', 'by month'),
  cut,
);
const stickiness = pipe(
  eventOrAny.map((name) => `stickiness ${name}`),
  range,
  zone,
  whereEvent,
  cut,
);
const choice = fc.oneof(
  pipe(fc.constantFrom('choice k', 'choice "other"'), range, whereEvent, fc.constantFrom('', 'unique by variant_key', 'count by day, variant_key')),
  pipe(fc.constantFrom('choice k', 'choice "other"'), range, whereEvent, eventOrAny.map((name) => `results ${name === '*' ? 'a' : name}`), window, fc.constantFrom('', '', 'unit session_id', 'unit event_properties.q')),
); // prettier-ignore

/** A valid query about the sequence of what persons do. */
export const timelineQuery: Text = fc.oneof(
  { weight: 4, arbitrary: funnel },
  { weight: 3, arbitrary: retention },
  { weight: 2, arbitrary: lifecycle },
  { weight: 1, arbitrary: stickiness },
);

/** A valid query of any source. */
export const query: Text = fc.oneof(
  { weight: 10, arbitrary: aggregate },
  { weight: 4, arbitrary: list },
  { weight: 4, arbitrary: latest },
  { weight: 4, arbitrary: users },
  { weight: 3, arbitrary: formula },
  { weight: 3, arbitrary: shown },
  { weight: 5, arbitrary: funnel },
  { weight: 4, arbitrary: retention },
  { weight: 4, arbitrary: paths },
  { weight: 5, arbitrary: sessions },
  { weight: 3, arbitrary: lifecycle },
  { weight: 2, arbitrary: stickiness },
  { weight: 3, arbitrary: choice },
);
