/** Who is behind an answer: persons with the time that counts, and their groups. */
import type { Row } from '../../peers/peer.ts';
import { randomWhere } from '../conditions.ts';
import { quoted } from '../dialect.ts';
import {
  all,
  bucketCell,
  firstRows,
  inRange,
  LENGTH,
  pipeOf,
  randomCalendar,
  randomRange,
  rangeOf,
  type Question,
} from '../question.ts';
import type { Random } from '../random.ts';
import { DAY } from '../world.ts';

export function peopleQuestion(random: Random): Question {
  const makers = [peopleOfEvents, peopleOfFunnel, peopleOfRetention, peopleOfLifecycle, peopleOfDays] as const;
  const { pipe, sql, rows } = random.one(makers)(random);
  const first = firstRows(random, 'limit', () => '2 DESC, 1');
  return {
    pipe: pipeOf(pipe, first.pipe),
    sql: (dialect) => `SELECT * FROM (${sql(dialect)}) AS people ${first.sql(dialect)}`,
    rows,
  };
}

/** Nobody has an e-mail. */
const withoutEmail = (answer: readonly Row[]): Row[] => answer.map((row) => row.toSpliced(1, 1));

const isNamed = (event: string | null): string => (event === null ? 'true' : `event_type = ${quoted(event)}`);

function peopleOfEvents(random: Random): Question {
  const range = randomRange(random);
  const where = randomWhere(random);
  const event = random.chance(0.6) ? random.one(random.words.events) : null;
  const groups = random.some(random.words.texts, random.one([0, 1, 2]));
  const by = groups.length === 0 ? '' : `by ${groups.map((field) => field.pipe).join(', ')}`;
  const columns = groups.map(({ column }) => `, ${column}`).join('');
  return {
    pipe: pipeOf(event ?? '*', range.stage, where.pipe, by, 'people'),
    sql: (dialect) =>
      `SELECT person, max(t)${columns} FROM e WHERE ${all(inRange(range), where.sql(dialect), isNamed(event), 'person IS NOT NULL')} GROUP BY person${columns}`,
    rows: withoutEmail,
  };
}

/** Of two events; the counted attempt is the earliest that gets furthest. */
function peopleOfFunnel(random: Random): Question {
  const range = randomRange(random);
  const where = randomWhere(random);
  const [first = '', second = ''] = random.some(random.words.events, 2);
  const window = random.one([1, 14]) * DAY;
  const which = random.one(['reached 1', 'reached 2', 'dropped 1']);
  return {
    pipe: pipeOf(`funnel ${first} -> ${second}`, range.stage, where.pipe, `window ${window / DAY}d`, `people ${which}`),
    sql: (dialect) => {
      const kept = all(inRange(range), where.sql(dialect), 'person IS NOT NULL');
      const [start, end] = which === 'reached 2' ? ['two.tb', 'JOIN'] : ['coalesce(two.ta, one.t)', 'LEFT JOIN'];
      return `
        WITH k AS (SELECT person, t, arrival, event_type FROM e WHERE ${kept}),
        taken AS (SELECT a.person AS person, a.t AS ta, a.arrival AS arrival, b.t AS tb FROM (SELECT * FROM k WHERE event_type = ${quoted(first)}) AS a
          ASOF JOIN (SELECT * FROM k WHERE event_type = ${quoted(second)}) AS b ON a.person = b.person AND b.t >= a.t WHERE b.t <= a.t + ${window}),
        ranked AS (SELECT person, ta, tb, row_number() OVER (PARTITION BY person ORDER BY ta, arrival) AS nth FROM taken),
        two AS (SELECT person, CAST(ta AS ${BIG[dialect.name]}) AS ta, tb FROM ranked WHERE nth = 1),
        one AS (SELECT person, min(t) AS t FROM k WHERE event_type = ${quoted(first)} GROUP BY person)
        SELECT one.person, ${start} FROM one ${end} two ON one.person = two.person
        WHERE ${which === 'dropped 1' ? 'two.ta IS NULL' : 'true'}`;
    },
    rows: withoutEmail,
  };
}

/** What a join leaves out is null, not 0. */
const BIG = { duckdb: 'BIGINT', clickhouse: 'Nullable(Int64)' } as const;

function peopleOfRetention(random: Random): Question {
  const range = randomRange(random);
  const calendar = randomCalendar(random);
  const where = randomWhere(random);
  const unit = random.one(['day', 'week']);
  const [start, back] = [random.one(random.words.events), random.chance(0.5) ? random.one(random.words.events) : null];
  const [period, unbounded] = [random.whole(0, 3), random.chance(0.3)];
  const which = random.one(['returned', 'lost']);
  const last = calendar.bucketOf(unit, range.to - 1);
  return {
    pipe: pipeOf(
      `retention ${start}${back === null ? '' : ` returning ${back}`}`,
      ...[range.stage, calendar.stage, where.pipe, `by ${unit}`, 'periods 5', unbounded ? 'unbounded' : ''],
      `people ${which} ${period}`,
    ),
    sql: (dialect) => `
      WITH kept AS (SELECT person, t, arrival, event_type, ${calendar.bucket(unit, 't')} AS bucket FROM e WHERE ${all(inRange(range), where.sql(dialect), 'person IS NOT NULL')}),
      starts AS (SELECT person, min(t) AS began, ${dialect.atFirst('arrival')} AS arrived, min(bucket) AS cohort FROM kept WHERE ${isNamed(start)} GROUP BY person),
      s AS (SELECT person, began AS t, arrived AS arrival, cohort AS bucket FROM starts WHERE cohort + ${period * LENGTH[unit]} <= ${last}),
      returned AS (SELECT s.person AS person, min(r.t) AS t FROM s JOIN kept AS r ON s.person = r.person
        WHERE ${isNamed(back).replace('event_type', 'r.event_type')} AND (r.t > s.t OR (r.t = s.t AND r.arrival >= s.arrival))
          AND r.bucket - s.bucket ${unbounded ? '>=' : '='} ${period * LENGTH[unit]} GROUP BY s.person)
      ${which === 'returned' ? 'SELECT s.person, returned.t, s.bucket FROM s JOIN returned ON s.person = returned.person' : 'SELECT person, t, bucket FROM s WHERE person NOT IN (SELECT person FROM returned)'}`,
    rows: (answer) => withoutEmail(answer).map(([person, time, cohort]): Row => [person!, time!, bucketCell(cohort)]),
  };
}

/** In the last whole day or week. */
function peopleOfLifecycle(random: Random): Question {
  const whole = randomRange(random);
  const calendar = randomCalendar(random);
  const unit = random.one(['day', 'week']);
  const length = LENGTH[unit];
  const from = whole.to - random.whole(2, 3) * length; // so that there is one
  const range = rangeOf(from, whole.to);
  const where = randomWhere(random);
  const event = random.chance(0.6) ? random.one(random.words.events) : null;
  const state = random.one(['new', 'returning', 'resurrected', 'dormant']);
  const start = calendar.bucketOf(unit, range.to) - length - calendar.ahead;
  const inBucket = `t >= ${start} AND t < ${start + length}`;
  const states = {
    new: 'first IS NOT NULL AND last IS NULL',
    returning: `first IS NOT NULL AND last >= ${start - length}`,
    resurrected: `first IS NOT NULL AND last < ${start - length}`,
    dormant: `first IS NULL AND last >= ${start - length}`,
  };
  return {
    pipe: pipeOf(`lifecycle ${event ?? '*'}`, range.stage, calendar.stage, where.pipe, `by ${unit}`, `people ${state}`),
    sql: (dialect) => `
      SELECT person, coalesce(first, last) FROM (
        SELECT person, min(CASE WHEN ${inBucket} THEN t END) AS first, max(CASE WHEN t < ${start} THEN t END) AS last
        FROM e WHERE ${all(`t < ${start + length}`, where.sql(dialect), isNamed(event), 'person IS NOT NULL')} GROUP BY person) AS persons
      WHERE ${states[state]}`,
    rows: withoutEmail,
  };
}

function peopleOfDays(random: Random): Question {
  const range = randomRange(random);
  const calendar = randomCalendar(random);
  const where = randomWhere(random);
  const event = random.chance(0.4) ? random.one(random.words.events) : null;
  const days = random.whole(1, 4);
  return {
    pipe: pipeOf(`stickiness ${event ?? '*'}`, range.stage, calendar.stage, where.pipe, `people ${days}`),
    sql: (dialect) => `
      SELECT person, max(t) FROM e WHERE ${all(inRange(range), where.sql(dialect), isNamed(event), 'person IS NOT NULL')}
      GROUP BY person HAVING count(DISTINCT ${calendar.bucket('day', 't')}) = ${days}`,
    rows: withoutEmail,
  };
}
