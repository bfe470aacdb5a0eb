/** The newest value of a field for each person. */
import { randomWhere } from '../conditions.ts';
import { all, bucketCell, inRange, pipeOf, randomRange, type Question } from '../question.ts';
import { basePipe, bucketsOf, randomBase } from '../windowed-table.ts';
import type { Random } from '../random.ts';

export function latestQuestion(random: Random): Question {
  return random.chance(0.5) ? newest(random) : newestAtEnds(random);
}

/** The newest number of each person at every bucket's end, of all stored events, counted and summed. */
function newestAtEnds(random: Random): Question {
  const base = randomBase(random, ['unit']);
  const after = random.chance(0.3) ? random.one([0, 5]) : null;
  const test = after === null ? 'true' : `n > ${after}`;
  return {
    pipe: basePipe('*', base, 'latest event_properties.n', after === null ? '' : `where last_value > ${after}`, `count, sum last_value as of each ${base.unit}`), // prettier-ignore
    sql: (dialect) => `
      WITH w AS (${bucketsOf(dialect, base, base.range)}),
      ranked AS (SELECT w.bucket AS bucket, n, row_number() OVER (PARTITION BY w.bucket, person ORDER BY t DESC, arrival DESC) AS nth
        FROM w CROSS JOIN e WHERE t < w.till AND ${all(base.where.sql(dialect), 'person IS NOT NULL', 'n IS NOT NULL')}),
      ends AS (SELECT bucket, count(*) AS persons, sum(n) AS total FROM ranked WHERE nth = 1 AND ${test} GROUP BY bucket)
      SELECT w.bucket, coalesce(ends.persons, 0), ends.total FROM w LEFT JOIN ends ON ends.bucket = w.bucket`,
    rows: (answer) => answer.map(([bucket, ...cells]) => [bucketCell(bucket), ...cells]),
  };
}

function newest(random: Random): Question {
  const range = randomRange(random);
  const where = randomWhere(random);
  const field = random.one(['browser', 'path'] as const);
  return {
    pipe: pipeOf('*', range.stage, where.pipe, `latest event_properties.${field}`),
    sql: (dialect) => `
      WITH ranked AS (SELECT person, ${field} AS value, t, row_number() OVER (PARTITION BY person ORDER BY t DESC, arrival DESC) AS nth
        FROM e WHERE ${all(inRange(range), where.sql(dialect), 'person IS NOT NULL', `coalesce(${field}, '') <> ''`)})
      SELECT person, value, t FROM ranked WHERE nth = 1`,
    rows: (answer) => [...answer],
  };
}
