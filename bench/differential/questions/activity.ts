/** Lifecycle and stickiness: on which days and in which weeks persons were active. */
import { randomWhere } from '../conditions.ts';
import { quoted } from '../dialect.ts';
import { all, bucketCell, inRange, LENGTH, pipeOf, randomCalendar, randomRange, type Question } from '../question.ts';
import type { Random } from '../random.ts';

const KINDS = ['new', 'returning', 'resurrected', 'dormant'];

/** One row for each bucket and kind that has somebody. */
export function lifecycleQuestion(random: Random): Question {
  const range = randomRange(random);
  const calendar = randomCalendar(random);
  const where = randomWhere(random);
  const unit = random.one(['day', 'week']);
  const event = random.chance(0.6) ? random.one(random.words.events) : null;
  const [first, last] = [calendar.bucketOf(unit, range.from), calendar.bucketOf(unit, range.to - 1)];
  return {
    pipe: pipeOf(`lifecycle ${event ?? '*'}`, range.stage, calendar.stage, where.pipe, `by ${unit}`),
    sql: (dialect) => {
      const is = event === null ? 'true' : `event_type = ${quoted(event)}`;
      return `
        WITH d AS (SELECT DISTINCT person, ${calendar.bucket(unit, 't')} AS bucket
          FROM e WHERE ${all(`t < ${range.to}`, where.sql(dialect), is, 'person IS NOT NULL')}),
        f AS (SELECT person, min(bucket) AS first FROM d GROUP BY person),
        before AS (SELECT person, bucket + ${LENGTH[unit]} AS bucket FROM d),
        active AS (SELECT d.person AS person, d.bucket AS bucket,
            CASE WHEN d.bucket = f.first THEN 'new' WHEN before.person IS NOT NULL THEN 'returning' ELSE 'resurrected' END AS kind
          FROM d JOIN f ON d.person = f.person LEFT JOIN before ON before.person = d.person AND before.bucket = d.bucket),
        gone AS (SELECT before.person AS person, before.bucket AS bucket, 'dormant' AS kind
          FROM before LEFT JOIN d ON d.person = before.person AND d.bucket = before.bucket WHERE d.person IS NULL)
        SELECT bucket, kind, count(*) FROM (SELECT * FROM active UNION ALL SELECT * FROM gone) AS persons
        WHERE bucket >= ${first} AND bucket <= ${last} GROUP BY bucket, kind`;
    },
    rows: (answer) =>
      answer.flatMap(([bucket, ...counts]) =>
        counts.flatMap((count, at) => (count === 0 ? [] : [[bucketCell(bucket), KINDS[at] ?? '', count]])),
      ),
  };
}

export function stickinessQuestion(random: Random): Question {
  const range = randomRange(random);
  const calendar = randomCalendar(random);
  const where = randomWhere(random);
  const event = random.chance(0.6) ? random.one(random.words.events) : null;
  return {
    pipe: pipeOf(`stickiness ${event ?? '*'}`, range.stage, calendar.stage, where.pipe),
    sql: (dialect) => `
      WITH p AS (SELECT person, count(DISTINCT ${calendar.bucket('day', 't')}) AS days
        FROM e WHERE ${all(inRange(range), where.sql(dialect), event === null ? 'true' : `event_type = ${quoted(event)}`, 'person IS NOT NULL')} GROUP BY person)
      SELECT days, count(*), count(*) * 1.0 / (SELECT count(*) FROM p) FROM p GROUP BY days`,
    rows: (answer) => [...answer],
  };
}
