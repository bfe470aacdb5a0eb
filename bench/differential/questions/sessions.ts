/** All sessions that begin in the range, whole, by day, or by a field of their first event. */
import { randomWhere } from '../conditions.ts';
import { all, bucketCell, inRange, pipeOf, randomCalendar, randomRange, type Question } from '../question.ts';
import { DAY } from '../world.ts';
import type { Random } from '../random.ts';

export function sessionsQuestion(random: Random): Question {
  const range = randomRange(random);
  const calendar = randomCalendar(random);
  const where = randomWhere(random);
  const by = random.one(['day', 'week', 'event_properties.browser'] as const);
  const group = by === 'event_properties.browser' ? 'browser' : calendar.bucket(by, 'begun');
  return {
    pipe: pipeOf('sessions', range.stage, calendar.stage, where.pipe, `by ${by}`),
    sql: (dialect) => `
      WITH kept AS (SELECT session_id, t, browser, row_number() OVER (PARTITION BY session_id ORDER BY t, arrival) AS nth
        FROM e WHERE ${all(inRange({ from: range.from - DAY, to: range.to + DAY }), where.sql(dialect), 'session_id IS NOT NULL')}),
      spans AS (SELECT session_id, min(t) AS begun, (max(t) - min(t)) / 1000.0 AS seconds, count(*) AS events FROM kept GROUP BY session_id),
      s AS (SELECT spans.session_id AS session_id, begun, seconds, events, kept.browser AS browser
        FROM spans JOIN kept ON spans.session_id = kept.session_id WHERE kept.nth = 1 AND begun >= ${range.from} AND begun < ${range.to})
      SELECT ${group}, count(*), avg(seconds), avg(events), avg(CASE WHEN events = 1 THEN 1.0 ELSE 0.0 END) FROM s GROUP BY 1`,
    rows: (answer) =>
      by === 'event_properties.browser'
        ? [...answer]
        : answer.filter((row) => row[1] !== 0).map((row) => [bucketCell(row[0]), ...row.slice(1)]),
  };
}
