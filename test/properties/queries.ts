/** Random queries over the vocabulary of random worlds, as text. All are valid. */
import fc from 'fast-check';
import {
  eventCondition,
  eventOnlyCondition,
  PLAIN_FIELDS,
  PROFILE_FIELDS,
  profileCondition,
  SESSION_FIELDS,
  sessionCondition,
} from './conditions.ts';
import {
  binsOf,
  comparing,
  cut,
  eachOf,
  event,
  eventMetrics,
  eventOrAny,
  filterOf,
  groupField,
  groupFieldOrCohort,
  grouped,
  having,
  inOrder,
  joinStages,
  longBucket,
  metricsOver,
  numericField,
  part,
  pipe,
  range,
  shortRange,
  someGroups,
  source,
  user,
  weeks,
  whereEvent,
  whereEventOnly,
  whereOf,
  zone,
  type Metrics,
  type Text,
} from './query-parts.ts';

const aggregate = fc.oneof(
  pipe(source, range, zone, whereEvent, comparing, grouped(eventMetrics, someGroups(groupFieldOrCohort, longBucket))),
  pipe(source, shortRange, zone, comparing, grouped(eventMetrics, fc.constant(['hour']))),
  pipe(fc.oneof({ weight: 6, arbitrary: source }, { weight: 1, arbitrary: user }), range, zone, whereEvent, grouped(eventMetrics, someGroups(groupFieldOrCohort, longBucket))),
  pipe(source, range, zone, weeks, whereEvent, grouped(eventMetrics, someGroups(groupFieldOrCohort, longBucket, part, part, binsOf(numericField), eachOf(groupField)))),
  pipe(source, shortRange, zone, whereEvent, grouped(eventMetrics, fc.oneof(fc.constant(['hour']), fc.constant(['event_type', 'hour'])))),
  // More combinations than the dense layout holds.
  pipe(source, range, zone, whereEvent, grouped(eventMetrics, fc.uniqueArray(groupField, { minLength: 2, maxLength: 4 }).map((fields) => ['hour', ...fields]))),
); // prettier-ignore

/** Metrics over windows: with one bucket. Words of metrics that do not roll are left out. */
const rolled = (source: Text, metrics: fc.Arbitrary<Metrics>, fields: Text): Text => {
  const ranges = fc.constantFrom('last 2d', 'last 3 W', 'this month', 'from 2026-03-24T09:30 to 2026-03-30', 'from 2026-03-07 to 2026-03-30', 'from 2026-02-28 to 2026-03-29T04:30Z'); // prettier-ignore
  const windows = fc.constantFrom('cumulative', 'rolling 1d', 'rolling 3d', 'rolling 2w', 'rolling 1 mo', 'rolling 36h', 'rolling 90m', 'rolling 100y'); // prettier-ignore
  const rolling = metrics.filter(({ text }) => !/\b(?:mode|median|stddev|p\d+|per)\b/.test(text));
  const bucket = fc.constantFrom('day', 'day', 'week', 'month', 'hour');
  const groups = fc.tuple(bucket, fc.array(fields, { maxLength: 1 })).map(([unit, some]) => [unit, ...some]);
  return pipe(source, ranges, zone, weeks, windows, comparing, grouped(rolling, groups));
};

const list = pipe(
  fc.oneof({ weight: 4, arbitrary: source }, { weight: 1, arbitrary: user }),
  fc.constant('list'),
  range,
  zone,
  whereEvent,
  cut,
  having(
    'event_type != "a"',
    'event_properties contains "1"',
    'time > "2026-03-24T10:00Z" or user_properties exists',
    'not _path exists',
  ),
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

/** Chosen fields, sometimes sorted by one of them, or by what is computed of others. */
const chosen = (source: Text, fields: Text, computed: string, ...stages: readonly Text[]): Text =>
  fc.uniqueArray(fields, { minLength: 1, maxLength: 4 }).chain((some) => {
    const sorts = some
      .filter((field) => !field.includes('"'))
      .flatMap((field) => [`sort ${field}`, `sort ${field} desc`]);
    return pipe(
      source,
      fc.constant(`list ${some.join(', ')}`),
      range,
      zone,
      ...stages,
      cut,
      fc.constantFrom('', `sort ${computed}`, `sort ${computed} desc`, ...sorts),
    );
  });

const latest = fc.oneof(
  inOrder(
    source,
    range,
    whereEvent,
    fc.tuple(groupField, fc.oneof(fc.constant(''), fc.constantFrom('event_properties.q', 'session_id', 'device_id', 'user.plan').map((per) => ` per ${per}`))).map(([field, per]) => `latest ${field}${per}`),
    fc.constantFrom('', '', 'where last_value = 42', 'where last_value exists and entity != "ann"', 'where set_at >= "2026-03-24T10:00Z"', 'where last_value contains "x" or entity > "b"'),
    fc.constantFrom('', '', 'count', 'count by last_value', 'count by each last_value', 'count by last_value bin 7, weekday', 'count by day', 'count by week, last_value', 'sum last_value, max set_at by entity', 'as of each week', 'sum last_value, unique as of each month', 'count by last_value as of each quarter', 'max set_at, avg last_value as of each day', 'mode last_value by entity | as of each year', 'sort set_at', 'sort entity desc', 'sort last_value', 'count[last_value > 5 or entity = "ann"], max last_value[set_at < "2026-03-24"] by day', 'avg (last_value * 2), max (1 / last_value)[(last_value - 1) > 1]'),
    zone,
    cut,
  ),
  inOrder(source, range, fc.constantFrom('latest event_properties.n', 'latest time per session_id'), having('last_value > 1', 'entity in ("ann", "d2")', 'set_at contains "T1" and last_value exists'), cut),
); // prettier-ignore

const users = pipe(
  fc.constant('users'),
  whereOf(profileCondition),
  range,
  zone,
  fc.oneof(
    comparing.map((stage) => joinStages('count by user.plan', stage)),
    comparing.map((stage) => joinStages('count, avg user.score by week', stage)),
    cut,
    having('user_id > "b"', 'first_seen < "2026-03-24"', 'properties contains "pro" or email exists'),
    fc.constantFrom('sort first_seen', 'sort email', 'sort user_id desc'),
    grouped(
      metricsOver(
        fc.constantFrom(...PROFILE_FIELDS),
        fc.constantFrom('user.score', 'user.size', '(user.score * (user.size - 1))'),
        profileCondition,
      ),
      someGroups(
        fc.constantFrom(...PROFILE_FIELDS),
        longBucket,
        part,
        binsOf(fc.constant('user.score')),
        eachOf(fc.constantFrom('user.size', 'user.a')),
      ),
    ),
  ),
);

const operandEvent = fc.tuple(eventOrAny, filterOf(eventCondition)).map((parts) => parts.join(''));
const operand = fc.oneof(
  operandEvent.map((name) => `count(${name})`),
  operandEvent.map((name) => `unique(${name})`),
  fc.tuple(operandEvent, groupField).map(([name, field]) => `unique(${name}, ${field})`),
  fc.tuple(fc.constantFrom('sum', 'avg', 'min', 'max', 'median', 'stddev', 'p90'), operandEvent, numericField).map(([metric, name, field]) => `${metric}(${name}, ${field})`),
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
const rolledFormula = pipe(
  fc.tuple(fc.array(fc.tuple(operand, fc.constantFrom('', ' rolling 2d', ' rolling 1w', ' rolling 1 mo')), { minLength: 1, maxLength: 3 }), fc.constantFrom(' + ', ' / ')).map(([some, op]) => `formula ${some.map((parts) => parts.join('')).join(op)}`),
  fc.constantFrom('last 3 W', 'this month', 'from 2026-02-28 to 2026-03-29T04:30Z'), zone, whereEvent,
  fc.tuple(fc.constantFrom('day', 'week'), fc.constantFrom('', '', ', event_type')).map((groups) => `by ${groups.join('')}`),
  fc.constantFrom('', '', 'cumulative', 'rolling 3d'), fc.constantFrom('', 'sort value'), cut,
).filter((text) => !/\b(?:median|stddev|p90)\(/.test(text)); // prettier-ignore
const formula = pipe(
  fc.tuple(operand, expression).map(([first, rest]) => `formula ${first} + ${rest}`),
  range,
  zone,
  whereEvent,
  someGroups(groupFieldOrCohort, longBucket, part).map((groups) =>
    groups.length === 0 ? '' : `by ${groups.join(', ')}`,
  ),
  fc.constantFrom('', 'sort value', 'sort value asc', 'having value > 1', 'having value not exists'),
  comparing,
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

const stepEvents = fc.oneof(
  { weight: 5, arbitrary: eventOrAny },
  { weight: 1, arbitrary: fc.array(eventOrAny, { minLength: 2, maxLength: 3 }).map((names) => names.join(' or ')) },
);
const step = fc.tuple(stepEvents, fc.oneof({ weight: 3, arbitrary: fc.constant('') }, { weight: 1, arbitrary: eventCondition.map((condition) => `[${condition}]`) })).map((parts) => parts.join('')); // prettier-ignore
const window = fc.constantFrom('', 'window 1h', 'window 30 m', 'window 1 d', 'window 2w', 'window 1 mo');
/** For funnels also windows without a near fixed length, and one that only fits simultaneous events. */
const anyWindow = fc.oneof(window, fc.constantFrom('window 1 m', 'window 2 mo', 'window 1 Q', 'window 1 y'));
const funnel = pipe(
  fc.tuple(fc.array(step, { minLength: 2, maxLength: 4 }), fc.oneof({ weight: 2, arbitrary: fc.constant('') }, { weight: 1, arbitrary: fc.array(eventOrAny, { minLength: 1, maxLength: 2 }).map((names) => ` exclude ${names.join(', ')}`) })).map(([steps, exclude]) => `funnel ${steps.join(' -> ')}${exclude}`),
  range, zone, whereEvent, anyWindow, cut, having('step = 2', 'conversion < 1 and median_seconds exists'), comparing,
  fc.constantFrom('', '', 'order strict', 'order any'),
  fc.constantFrom('', '', '', 'same session_id', 'same event_properties.q', 'same event_properties.n'),
  fc.constantFrom('', '', '', 'unit session_id', 'unit event_properties.q', 'unit distinct_id'),
  fc.constantFrom('', '', '', 'avg', 'p90, min', 'max, stddev, sum'),
  fc.oneof(fc.constant(''), someGroups(groupFieldOrCohort, longBucket, part, binsOf(numericField)).map((groups) => (groups.length === 0 ? '' : `by ${groups.join(', ')}`))),
); // prettier-ignore

const retention = pipe(
  fc.tuple(eventOrAny, fc.oneof(fc.constant(''), event.map((name) => ` returning ${name}`), fc.constant(' returning any'))).chain(([name, returning]) => fc.constantFrom('', '', 'first ').map((first) => `retention ${first}${name}${returning}`)),
  range, zone, weeks, whereEvent, cut, having('users > 1'),
  fc.constantFrom('', '', 'periods 2', 'periods 20', 'periods 70'),
  fc.constantFrom('', '', '', 'unbounded', 'count', 'sum event_properties.n', 'avg event_properties.n', 'avg session.duration', 'count | cumulative', 'sum event_properties.p | cumulative', 'avg user.score | cumulative', 'count[event_properties.n > 2]', 'sum event_properties.n[event_properties.p exists] | cumulative'),
  fc.tuple(fc.constantFrom('', 'day', 'week', 'month'), fc.oneof(fc.constant(''), groupFieldOrCohort, part, binsOf(numericField))).map((groups) => { const some = groups.filter((group) => group !== ''); return some.length === 0 ? '' : `by ${some.join(', ')}`; }),
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
  having('users > 1', 'path contains "->"', 'share < 0.5'),
);

const sessionField = fc.constantFrom(...PLAIN_FIELDS, ...SESSION_FIELDS, ...SESSION_FIELDS, 'session.start_time');
const sessions = pipe(
  fc.constant('sessions'),
  range,
  zone,
  fc.oneof(
    fc.constant(''),
    eventOnlyCondition.map((condition) => `where ${condition}`),
  ),
  whereOf(sessionCondition),
  fc.oneof(
    cut,
    fc.constantFrom('compare previous', 'compare 2d ago', 'share', 'compare previous | share | by week, _path'),
    longBucket.map((bucket) => `by ${bucket}`),
    sessionField.map((field) => `by ${field}`),
    part.map((group) => `by ${group}`),
    grouped(
      metricsOver(sessionField, numericField, fc.oneof(sessionCondition, eventOnlyCondition)),
      someGroups(
        sessionField,
        longBucket,
        part,
        binsOf(fc.constantFrom('session.duration', 'event_properties.n')),
        eachOf(sessionField),
      ),
    ),
  ),
);

const lifecycle = pipe(
  eventOrAny.map((name) => `lifecycle ${name}`),
  range,
  zone,
  whereEventOnly,
  fc.constantFrom('', 'by day', 'by week', 'by month'),
  weeks,
  having('new > 0', 'dormant = 0'),
  comparing,
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
  pipe(
    fc.constantFrom('choice k', 'choice k', 'choice "other"'),
    range,
    whereEvent,
    fc.oneof(
      event.map((name) => `results ${name}`),
      fc.tuple(fc.constantFrom('sum', 'avg'), numericField, eventOrAny.map((name) => ` of ${name}`), fc.boolean()).map(([metric, field, of, isAny]) => `results ${metric} ${field}${isAny ? '' : of}`),
    ),
    fc.oneof(
      fc.constant(''),
      fc.oneof(groupField, longBucket, part, binsOf(numericField), fc.constantFrom('user.plan, day', 'variant_key, event_type')).map((group) => `by ${group}`),
    ),
    window,
    fc.constantFrom('', '', 'unit session_id', 'unit event_properties.q'),
    fc.constantFrom('', '', '', 'having users > 1', 'having lift > 0 or p_adjusted < 0.9', 'sort p_adjusted', 'sort ci_low asc', 'top 3', 'offset 1 | limit 3'),
  ),
); // prettier-ignore

const attribution = pipe(
  eventOrAny.map((name) => `attribution ${name}`),
  range, zone, whereEvent, anyWindow, having('conversions > 0.5', 'share < 0.5'),
  fc.oneof(groupField, groupField, fc.constantFrom('session.utm_source', 'session.landing_path', 'session.event_count', 'time')).map((field) => `by ${field}`),
  fc.constantFrom('', 'model first', 'model last', 'model linear', 'model decay', 'model position'),
  fc.constantFrom('', '', 'sum event_properties.n', 'sum session.duration as total', 'sum event_properties.p[event_properties.n > 2]', 'sum (event_properties.n * 2 - 1)'),
  fc.constantFrom('', '', 'top 2', 'sort share asc', 'sort conversions | limit 2', 'offset 1'),
); // prettier-ignore

/** With a whole day, which the people of a lifecycle are of. */
const rangeOfDays = fc.constantFrom('last 3d', 'last 2w', 'this month', 'from 2026-03-20 to 2026-03-27', 'from 2026-03-24T10:00Z to 2026-03-29T01:30Z'); // prettier-ignore

/** Who is behind an answer: behind its other stages there may be only these. */
const peopleOf = (answer: Text, which: Text): Text =>
  inOrder(
    answer,
    which.map((word) => `people${word === '' ? '' : ` ${word}`}`),
    having('distinct_id > "b"', 'time >= "2026-03-24T10:00Z" or email exists', 'not email contains "a"'),
    fc.constantFrom('', '', '', 'sort time', 'sort distinct_id desc', 'sort email'),
    cut,
  );
const people = (source: Text, which: Text, ...stages: readonly Text[]): Text =>
  peopleOf(pipe(source, range, zone, weeks, ...stages), which);
const grouping = (...groups: readonly Text[]): Text =>
  someGroups(...groups).map((some) => {
    const others = some.filter((group) => group !== 'distinct_id' && group !== 'time'); // rows have these anyway
    return others.length === 0 ? '' : `by ${others.join(', ')}`;
  });
const peopleQuery = fc.oneof(
  people(source, fc.constant(''), whereEvent, fc.constantFrom('', '', 'count', 'sum event_properties.n, unique'), grouping(groupField, longBucket, part, binsOf(numericField), eachOf(groupField))),
  people(fc.constant('sessions'), fc.constant(''), fc.oneof(fc.constant(''), eventOnlyCondition.map((condition) => `where ${condition}`)), whereOf(sessionCondition), grouping(sessionField, longBucket, part)),
  ...(['given', 'strict', 'any'] as const).map((order) =>
    people(fc.array(step, { minLength: 3, maxLength: 4 }).map((steps) => `funnel ${steps.join(' -> ')}`), fc.constantFrom('reached 1', 'reached 2', 'reached 3', 'dropped 1', 'dropped 2'), whereEvent, anyWindow, fc.constant(order === 'given' ? '' : `order ${order}`), fc.constantFrom('', '', '', 'same session_id', 'same event_properties.n'), grouping(groupField, longBucket, part, binsOf(numericField))),
  ),
  people(fc.tuple(eventOrAny, fc.oneof(fc.constant(''), event.map((name) => ` returning ${name}`))).chain(([name, returning]) => fc.constantFrom('', 'first ').map((first) => `retention ${first}${name}${returning}`)), fc.constantFrom('returned 0', 'returned 1', 'returned 2', 'lost 0', 'lost 1', 'lost 3'), whereEvent, fc.constant('periods 5'), fc.constantFrom('', '', 'unbounded'), fc.tuple(fc.constantFrom('day', 'week', 'month'), fc.oneof(fc.constant(''), part, binsOf(numericField))).map((groups) => `by ${groups.filter((group) => group !== '').join(', ')}`)),
  peopleOf(pipe(event.map((name) => `lifecycle ${name}`), rangeOfDays, zone, weeks, whereEventOnly, fc.constant('by day')), fc.constantFrom('new', 'returning', 'resurrected', 'dormant')),
  people(eventOrAny.map((name) => `stickiness ${name}`), fc.constantFrom('1', '2', '3'), whereEvent),
  people(fc.tuple(fc.constantFrom('from', 'to'), eventOrAny).map(([way, name]) => `paths ${way} ${name}`), fc.constant(''), whereEvent, window, fc.constantFrom('', 'depth 1', 'depth 10'), fc.oneof(fc.constant(''), groupField.map((field) => `by ${field}`))),
  people(fc.constantFrom('choice k', 'choice "other"'), fc.constant(''), whereEvent, eventOrAny.map((name) => `results ${name === '*' ? 'a' : name}`), window),
  people(fc.constantFrom('choice k', 'choice "other"'), fc.constant(''), whereEvent, fc.constantFrom('', 'count by day, variant_key')),
); // prettier-ignore

/** A valid query about the sequence of what persons do. */
export const timelineQuery: Text = fc.oneof(
  { weight: 4, arbitrary: funnel },
  { weight: 3, arbitrary: retention },
  { weight: 2, arbitrary: lifecycle },
  { weight: 1, arbitrary: stickiness },
  { weight: 2, arbitrary: attribution },
  { weight: 2, arbitrary: peopleQuery },
);

/** A valid query of any source. */
export const query: Text = fc.oneof(
  { weight: 10, arbitrary: aggregate },
  {
    weight: 3,
    arbitrary: rolled(source, eventMetrics, fc.oneof(groupField, eachOf(groupField), binsOf(numericField), part)),
  },
  {
    weight: 1,
    arbitrary: rolled(
      fc.constant('users'),
      metricsOver(fc.constantFrom(...PROFILE_FIELDS), fc.constant('user.score'), profileCondition),
      fc.constantFrom(...PROFILE_FIELDS),
    ),
  },
  {
    weight: 1,
    arbitrary: rolled(fc.constant('sessions'), metricsOver(sessionField, numericField, sessionCondition), sessionField),
  },
  { weight: 4, arbitrary: list },
  { weight: 3, arbitrary: chosen(source, groupField, '(event_properties.n * 2 - 1)', whereEvent) },
  {
    weight: 1,
    arbitrary: chosen(
      fc.constant('users'),
      fc.constantFrom(...PROFILE_FIELDS, 'last_seen', 'user.first_seen'),
      '(user.score / user.size)',
    ),
  },
  { weight: 4, arbitrary: latest },
  { weight: 4, arbitrary: users },
  { weight: 3, arbitrary: formula },
  { weight: 2, arbitrary: rolledFormula },
  { weight: 3, arbitrary: shown },
  { weight: 5, arbitrary: funnel },
  { weight: 4, arbitrary: retention },
  { weight: 4, arbitrary: paths },
  { weight: 5, arbitrary: sessions },
  { weight: 3, arbitrary: lifecycle },
  { weight: 2, arbitrary: stickiness },
  { weight: 3, arbitrary: choice },
  { weight: 4, arbitrary: attribution },
  { weight: 4, arbitrary: peopleQuery },
);
