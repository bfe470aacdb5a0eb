/** Funnels over different events. */
import { randomCondition, randomWhere } from '../conditions.ts';
import { quoted, type Dialect } from '../dialect.ts';
import { all, inRange, pipeOf, randomRange, type Question } from '../question.ts';
import type { Random } from '../random.ts';
import { DAY } from '../world.ts';

const WINDOWS = [
  { stage: 'window 1 h', ms: DAY / 24 },
  { stage: 'window 1 d', ms: DAY },
  { stage: 'window 2 w', ms: 14 * DAY },
  { stage: '', ms: 30 * DAY },
] as const;

/** Users by step; with two steps also the median time between them, and maybe an excluded event. */
export function funnelQuestion(random: Random): Question {
  return random.chance(0.5) ? shortFunnel(random) : longFunnel(random);
}

/** Of 2 to 6 steps. Each start goes on to the next event of each step; what it does not reach in time is `NEVER`. */
export function longFunnel(random: Random): Question {
  const range = randomRange(random);
  const where = randomWhere(random);
  const window = random.one(WINDOWS);
  const [other = '', ...chosen] = random.some(random.words.events, random.whole(3, 7));
  const steps = chosen.map((event, step) => ({
    events: step === 1 && random.chance(0.3) ? [event, other] : [event],
    test: random.chance(0.3) ? randomCondition(random, 1) : null,
  }));
  const source = steps
    .map(({ events, test }) => events.join(' or ') + (test === null ? '' : ` [${test.pipe}]`))
    .join(' -> ');
  const stepSql = (dialect: Dialect, step: number): string => {
    const { events, test } = steps[step]!;
    return `SELECT person, t FROM e WHERE ${all(inRange(range), where.sql(dialect), `event_type IN (${events.map(quoted).join(', ')})`, 'person IS NOT NULL', test?.sql(dialect) ?? 'true')}`;
  };
  const nextSql = (step: number, events: string): string => {
    const inTime = `next.t >= r.t AND next.t <= r.t0 + ${window.ms}`;
    return `SELECT r.person AS person, r.t0 AS t0, CASE WHEN ${inTime} THEN next.t ELSE ${NEVER} END AS t, CASE WHEN ${inTime} THEN ${step + 1} ELSE r.depth END AS depth
      FROM r${step - 1} AS r ASOF LEFT JOIN (${events}) AS next ON next.person = r.person AND next.t >= r.t`;
  };
  return {
    pipe: pipeOf(`funnel ${source}`, range.stage, where.pipe, window.stage),
    sql: (dialect) => `
      WITH r0 AS (SELECT person, t, t AS t0, 1 AS depth FROM (${stepSql(dialect, 0)}) AS starts)
      ${steps
        .slice(1)
        .map((_, at) => `, r${at + 1} AS (${nextSql(at + 1, stepSql(dialect, at + 1))})`)
        .join('')},
      persons AS (SELECT person, max(depth) AS depth FROM r${steps.length - 1} GROUP BY person)
      SELECT ${steps.map((_, at) => `count(CASE WHEN depth > ${at} THEN 1 END)`).join(', ')} FROM persons`,
    rows: (answer) => [answer.map((row) => row[2] ?? null)],
  };
}

/** Later than all events, in milliseconds. */
const NEVER = 9_000_000_000_000_000;

const STEP_ORDERS = ['', '', 'order strict', 'order any'] as const;

const ALIKE = [
  { stage: '', sql: () => 'true' },
  { stage: 'same event_properties.browser', sql: (a: string, b: string) => `${a}.browser = ${b}.browser` },
  { stage: 'same session_id', sql: (a: string, b: string) => `${a}.session_id = ${b}.session_id` },
] as const;

const UNITS = [
  { stage: '', sql: 'person' },
  { stage: '', sql: 'person' },
  { stage: 'unit session_id', sql: 'session_id' },
  { stage: 'unit event_properties.path', sql: 'path' },
] as const;

const TIMES = ['avg', 'sum', 'min', 'max', 'p90', 'stddev'] as const;

/** Whether a second event may follow the first in an attempt, by the order of steps. */
const FOLLOWS = {
  '': 'b.t >= a.t',
  'order strict': 'b.nth = a.nth + 1',
  'order any': 'b.nth > a.nth',
} as const;

function shortFunnel(random: Random): Question {
  const range = randomRange(random);
  const where = randomWhere(random);
  const window = random.one(WINDOWS);
  const [first, second, excluded] = random.some(random.words.events, 3).map(quoted);
  const exclude = random.chance(0.5);
  const [order, alike, unit] = [random.one(STEP_ORDERS), random.one(ALIKE), random.one(UNITS)];
  const times = random.some(TIMES, random.one([0, 0, 2]));
  const starts = order === 'order any' ? `IN (${first}, ${second})` : `= ${first}`;
  const ends = order === 'order any' ? `IN (${first}, ${second}) AND b.event_type <> a.event_type` : `= ${second}`;
  // ClickHouse takes 0 for the sum, the least and the most of no seconds.
  const aggregate = (dialect: Dialect, time: (typeof TIMES)[number]): string => {
    if (time === 'p90') return dialect.percentile(90, 'seconds');
    return time === 'stddev' ? dialect.deviation('seconds') : `CASE WHEN count(*) > 0 THEN ${time}(seconds) END`;
  };
  return {
    pipe: pipeOf(
      `funnel ${first} -> ${second}${exclude ? ` exclude ${excluded}` : ''}`.replaceAll("'", ''),
      range.stage,
      where.pipe,
      window.stage,
      ...random.some([order, alike.stage, unit.stage, times.join(', ')], 4),
    ),
    // Each start with the second step that it reaches; then the earliest start of each person that got there.
    sql: (dialect) => `
      WITH k AS (SELECT ${unit.sql} AS who, t, arrival, event_type, browser, session_id, row_number() OVER (PARTITION BY ${unit.sql} ORDER BY t, arrival) AS nth
        FROM e WHERE ${all(inRange(range), where.sql(dialect), `${unit.sql} IS NOT NULL`)}),
      a AS (SELECT * FROM k WHERE event_type ${starts}),
      taken AS (SELECT a.who AS who, a.t AS ta, a.arrival AS arrival, min(b.t) AS tb FROM a JOIN k AS b ON a.who = b.who
        WHERE b.event_type ${ends} AND ${FOLLOWS[order]} AND b.t <= a.t + ${window.ms} AND ${alike.sql('a', 'b')} GROUP BY a.who, a.t, a.arrival),
      x AS (SELECT who, t FROM k WHERE event_type = ${excluded}),
      free AS (SELECT taken.who AS who, taken.ta AS ta, taken.arrival AS arrival, taken.tb AS tb,
          count(CASE WHEN x.t > taken.ta AND x.t < taken.tb THEN 1 END) AS between_steps
        FROM taken LEFT JOIN x ON taken.who = x.who GROUP BY taken.who, taken.ta, taken.arrival, taken.tb),
      ranked AS (SELECT who, tb - ta AS ms, row_number() OVER (PARTITION BY who ORDER BY ta, arrival) AS nth
        FROM free WHERE ${exclude ? 'between_steps = 0' : 'true'}),
      counted AS (SELECT who, ms / 1000.0 AS seconds FROM ranked WHERE nth = 1)
      SELECT 1, count(DISTINCT who), NULL${times.map(() => ', NULL').join('')} FROM a
      UNION ALL SELECT 2, count(*), ${[dialect.percentile(50, 'seconds'), ...times.map((time) => aggregate(dialect, time))].join(', ')} FROM counted`,
    rows: (answer) => answer.map((row) => [row[0] ?? null, row[2] ?? null, ...row.slice(5)]),
  };
}
