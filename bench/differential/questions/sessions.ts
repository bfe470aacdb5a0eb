/** All sessions that begin in the range, whole, by day, or by a field of their first event. */
import { randomWhere } from '../conditions.ts';
import type { Dialect } from '../dialect.ts';
import { all, bucketCell, inRange, pipeOf, randomCalendar, randomRange, type Question } from '../question.ts';
import { DAY } from '../world.ts';
import type { Random } from '../random.ts';

export function sessionsQuestion(random: Random): Question {
  const range = randomRange(random);
  const calendar = randomCalendar(random);
  const where = randomWhere(random);
  const unit = random.one(['day', 'week', null]);
  const { pipe, column } = random.one(random.words.texts);
  const first = (dialect: Dialect): string =>
    unit === null ? `, ${dialect.atFirst(`coalesce(${column}, '(none)')`)} AS grp` : '';
  return {
    pipe: pipeOf('sessions', range.stage, calendar.stage, where.pipe, `by ${unit ?? pipe}`),
    sql: (dialect) => `
      WITH spans AS (SELECT session_id, min(t) AS begun, (max(t) - min(t)) / 1000.0 AS seconds, count(*) AS events${first(dialect)}
        FROM e WHERE ${all(inRange({ from: range.from - DAY, to: range.to + DAY }), where.sql(dialect), 'session_id IS NOT NULL')} GROUP BY session_id),
      s AS (SELECT * FROM spans WHERE begun >= ${range.from} AND begun < ${range.to})
      SELECT ${unit === null ? 'grp' : calendar.bucket(unit, 'begun')}, count(*), avg(seconds), avg(events), avg(CASE WHEN events = 1 THEN 1.0 ELSE 0.0 END) FROM s GROUP BY 1`,
    rows: (answer) =>
      unit === null
        ? answer.map(([value, ...rest]) => [value ?? '(none)', ...rest])
        : answer.filter((row) => row[1] !== 0).map((row) => [bucketCell(row[0]), ...row.slice(1)]),
  };
}
