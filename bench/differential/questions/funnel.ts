/** Funnels over different events. */
import { randomCondition, randomWhere } from '../conditions.ts';
import { quoted, type Dialect } from '../dialect.ts';
import { all, inRange, pipeOf, randomRange, type Question } from '../question.ts';
import type { Random } from '../random.ts';
import { DAY, EVENTS } from '../world.ts';

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

function longFunnel(random: Random): Question {
  const range = randomRange(random);
  const where = randomWhere(random);
  const window = random.one(WINDOWS);
  const steps = random
    .some(EVENTS, 3)
    .map((event) => ({ event, test: random.chance(0.3) ? randomCondition(random, 1) : null }));
  const source = steps.map(({ event, test }) => (test === null ? event : `${event} [${test.pipe}]`)).join(' -> ');
  const stepSql = (dialect: Dialect, step: number): string => {
    const { event, test } = steps[step]!;
    return `SELECT person, t FROM e WHERE ${all(inRange(range), where.sql(dialect), `event_type = ${quoted(event)}`, 'person IS NOT NULL', test?.sql(dialect) ?? 'true')}`;
  };
  return {
    pipe: pipeOf(`funnel ${source}`, range.stage, where.pipe, window.stage),
    sql: (dialect) => `
      WITH a AS (${stepSql(dialect, 0)}), b AS (${stepSql(dialect, 1)}), c AS (${stepSql(dialect, 2)}),
      ab AS (SELECT a.person AS person, a.t AS ta, b.t AS tb FROM a JOIN b ON a.person = b.person WHERE b.t >= a.t AND b.t <= a.t + ${window.ms}),
      abc AS (SELECT ab.person AS person FROM ab JOIN c ON ab.person = c.person WHERE c.t >= ab.tb AND c.t <= ab.ta + ${window.ms})
      SELECT 1, count(DISTINCT person) FROM a
      UNION ALL SELECT 2, count(DISTINCT person) FROM ab
      UNION ALL SELECT 3, count(DISTINCT person) FROM abc`,
    rows: (answer) => answer.map((row) => [row[0] ?? null, row[2] ?? null]),
  };
}

function shortFunnel(random: Random): Question {
  const range = randomRange(random);
  const where = randomWhere(random);
  const window = random.one(WINDOWS);
  const [first, second, excluded] = random.some(EVENTS, 3);
  const exclude = random.chance(0.5);
  const eventSql = (dialect: Dialect, event: string | undefined): string =>
    `SELECT person, t, arrival FROM e WHERE ${all(inRange(range), where.sql(dialect), `event_type = ${quoted(event ?? '')}`, 'person IS NOT NULL')}`;
  return {
    pipe: pipeOf(
      `funnel ${first} -> ${second}${exclude ? ` exclude ${excluded}` : ''}`,
      range.stage,
      where.pipe,
      window.stage,
    ),
    // Each start with the second step that it reaches; then each person's earliest start that got there.
    sql: (dialect) => `
      WITH a AS (${eventSql(dialect, first)}), b AS (${eventSql(dialect, second)}), x AS (${eventSql(dialect, excluded)}),
      taken AS (SELECT a.person AS person, a.t AS ta, a.arrival AS arrival, min(b.t) AS tb
        FROM a JOIN b ON a.person = b.person WHERE b.t >= a.t AND b.t <= a.t + ${window.ms} GROUP BY a.person, a.t, a.arrival),
      free AS (SELECT taken.person AS person, taken.ta AS ta, taken.arrival AS arrival, taken.tb AS tb,
          count(CASE WHEN x.t > taken.ta AND x.t < taken.tb THEN 1 END) AS between_steps
        FROM taken LEFT JOIN x ON taken.person = x.person GROUP BY taken.person, taken.ta, taken.arrival, taken.tb),
      ranked AS (SELECT person, tb - ta AS ms, row_number() OVER (PARTITION BY person ORDER BY ta, arrival) AS nth
        FROM free WHERE ${exclude ? 'between_steps = 0' : 'true'}),
      counted AS (SELECT person, ms / 1000.0 AS seconds FROM ranked WHERE nth = 1)
      SELECT 1, count(DISTINCT person), NULL FROM a
      UNION ALL SELECT 2, count(*), ${dialect.percentile(50, 'seconds')} FROM counted`,
    rows: (answer) => answer.map((row) => [row[0] ?? null, row[2] ?? null, row[5] ?? null]),
  };
}
