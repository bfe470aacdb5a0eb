/** Paths from each person's first such event, or to the last one. */
import { randomWhere } from '../conditions.ts';
import { quoted } from '../dialect.ts';
import { all, firstRows, inRange, pipeOf, randomRange, type Question } from '../question.ts';
import type { Random } from '../random.ts';
import { DAY } from '../world.ts';

const WINDOWS = [
  { stage: '', ms: DAY / 24 },
  { stage: 'window 5 m', ms: 300_000 },
  { stage: 'window 1 d', ms: DAY },
  { stage: 'window 2 w', ms: 14 * DAY },
] as const;

const DEPTHS = [
  { stage: '', nodes: 5 },
  { stage: 'depth 2', nodes: 2 },
  { stage: 'depth 9', nodes: 9 },
] as const;

export function pathsQuestion(random: Random): Question {
  const range = randomRange(random);
  const where = randomWhere(random);
  const [window, depth, label] = [random.one(WINDOWS), random.one(DEPTHS), random.one(['event_type', 'text'])];
  const text = random.one(random.words.texts);
  const named = label === 'text' ? { stage: `by ${text.pipe}`, sql: text.column } : { stage: '', sql: 'event_type' };
  const first = firstRows(random, 'limit', () => '2 DESC, 1');
  const event = random.chance(0.8) ? random.one(random.words.events) : null;
  const from = random.chance(0.5);
  const order = from ? 't, arrival' : 't DESC, arrival DESC';
  const follows = from
    ? `(n.t > a.t OR (n.t = a.t AND n.arrival >= a.arrival)) AND n.t <= a.t + ${window.ms}`
    : `(n.t < a.t OR (n.t = a.t AND n.arrival <= a.arrival)) AND n.t >= a.t - ${window.ms}`;
  return {
    pipe: pipeOf(
      `paths ${from ? 'from' : 'to'} ${event ?? '*'}`,
      range.stage,
      where.pipe,
      window.stage,
      depth.stage,
      named.stage,
      first.pipe === '' ? 'limit 10000' : first.pipe,
    ),
    sql: (dialect) => `
      WITH n AS (SELECT person, t, arrival, event_type, coalesce(${named.sql}, '(none)') AS label
        FROM e WHERE ${all(inRange(range), where.sql(dialect), 'person IS NOT NULL')}),
      ends AS (SELECT person, ${from ? 'min' : 'max'}(t) AS moment, ${from ? dialect.atFirst('arrival') : dialect.atLast('arrival')} AS arrived
        FROM n WHERE ${event === null ? 'true' : `event_type = ${quoted(event)}`} GROUP BY person),
      a AS (SELECT person, moment AS t, arrived AS arrival FROM ends),
      followed AS (SELECT n.person AS person, n.t AS t, n.arrival AS arrival, n.label AS label FROM a JOIN n ON a.person = n.person WHERE ${follows}),
      numbered AS (SELECT person, t, arrival, label, row_number() OVER (PARTITION BY person ORDER BY ${order}) AS node FROM followed),
      paths AS (SELECT person, ${dialect.path('label')} AS path FROM numbered WHERE node <= ${depth.nodes} GROUP BY person)
      SELECT path, count(*), count(*) * 1.0 / (SELECT count(*) FROM a) FROM paths GROUP BY path ${first.sql(dialect)}`,
    rows: (answer) => answer.map(([path, ...rest]) => [pathText(path), ...rest]),
  };
}

function pathText(path: unknown): string {
  if (!Array.isArray(path)) throw new Error('a path is no array');
  return path.map((label) => (label === null ? '(none)' : String(label))).join(' -> ');
}
