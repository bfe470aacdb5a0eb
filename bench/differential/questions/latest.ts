/** The newest value of a field for each person. */
import { randomWhere } from '../conditions.ts';
import { all, inRange, pipeOf, randomRange, type Question } from '../question.ts';
import type { Random } from '../random.ts';

export function latestQuestion(random: Random): Question {
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
