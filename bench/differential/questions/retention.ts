/** Retention by day and week, as one row for each cohort and period that has somebody. */
import type { Row } from '../../peers/peer.ts';
import { randomWhere } from '../conditions.ts';
import { quoted } from '../dialect.ts';
import { all, bucketCell, inRange, LENGTH, pipeOf, randomCalendar, randomRange, type Question } from '../question.ts';
import type { Random } from '../random.ts';
import { EVENTS } from '../world.ts';

const LAST_PERIOD = 12;

export function retentionQuestion(random: Random): Question {
  const range = randomRange(random);
  const calendar = randomCalendar(random);
  const where = randomWhere(random);
  const unit = random.one(['day', 'week']);
  const start = random.chance(0.8) ? random.one(EVENTS) : null;
  const back = random.chance(0.5) ? random.one(EVENTS) : null;
  const is = (event: string | null): string => (event === null ? 'true' : `event_type = ${quoted(event)}`);
  const returning = back ?? random.one(['', 'any']);
  const source = `retention ${start ?? '*'}${returning === '' ? '' : ` returning ${returning}`}`;
  return {
    pipe: pipeOf(source, range.stage, calendar.stage, where.pipe, `by ${unit}`),
    sql: (dialect) => {
      const kept = all(inRange(range), where.sql(dialect), 'person IS NOT NULL');
      return `
        WITH kept AS (SELECT person, t, arrival, event_type, ${calendar.bucket(unit, 't')} AS bucket FROM e WHERE ${kept}),
        ranked AS (SELECT person, t, arrival, bucket, row_number() OVER (PARTITION BY person ORDER BY t, arrival) AS nth FROM kept WHERE ${is(start)}),
        s AS (SELECT person, t, arrival, bucket FROM ranked WHERE nth = 1),
        r AS (SELECT person, t, arrival, bucket FROM kept WHERE ${is(back)})
        SELECT bucket, -1, count(*) FROM s GROUP BY bucket
        UNION ALL
        SELECT s.bucket, (r.bucket - s.bucket) / ${LENGTH[unit]}, count(DISTINCT s.person)
        FROM s JOIN r ON s.person = r.person
        WHERE (r.t > s.t OR (r.t = s.t AND r.arrival >= s.arrival)) AND r.bucket - s.bucket <= ${LAST_PERIOD * LENGTH[unit]}
        GROUP BY 1, 2`;
    },
    rows: (answer) => answer.flatMap(([cohort, ...cells]) => longRows(bucketCell(cohort), cells)),
  };
}

/** The first cell is the size of the cohort, given as period -1. */
function longRows(cohort: number, cells: Row): Row[] {
  return cells.flatMap((users, at): Row[] => (users === null || users === 0 ? [] : [[cohort, at - 1, users]]));
}
