/** An aggregate of what a metric is for each value of a field. */
import { randomCondition } from '../conditions.ts';
import { quoted, type Dialect } from '../dialect.ts';
import { all, inRange, type Question } from '../question.ts';
import type { Random } from '../random.ts';
import { basePipe, byOf, FIELDS, MEASURES, randomBase, tableRows } from '../windowed-table.ts';
import { EVENTS } from '../world.ts';

interface Aggregate {
  readonly pipe: string;
  readonly sql: (dialect: Dialect, of: string) => string;
}

const AGGREGATES: readonly [Aggregate, ...Aggregate[]] = [
  { pipe: 'sum', sql: (_, of) => `sum(${of})` },
  { pipe: 'avg', sql: (_, of) => `avg(${of})` },
  { pipe: 'min', sql: (_, of) => `min(${of})` },
  { pipe: 'max', sql: (_, of) => `max(${of})` },
  { pipe: 'median', sql: (dialect, of) => dialect.percentile(50, of) },
  { pipe: 'p90', sql: (dialect, of) => dialect.percentile(90, of) },
  { pipe: 'stddev', sql: (dialect, of) => dialect.deviation(of) },
];

/** Who has rows of which none meets a condition has 0 of what counts, and nothing else. */
export function perQuestion(random: Random): Question {
  const base = randomBase(random, random.one([['field'], ['unit', 'field'], ['unit']]));
  const event = random.chance(0.5) ? random.one(EVENTS) : null;
  const [aggregate, measure, per] = [random.one(AGGREGATES), random.one(MEASURES), random.one([...FIELDS, { pipe: 'session_id', sql: 'session_id' }])]; // prettier-ignore
  const condition = random.chance(0.4) ? randomCondition(random, 1) : null;
  const inner = `${measure.pipe}${condition === null ? '' : `[${condition.pipe}]`}`;
  const bucket = base.unit === null ? '0' : base.calendar.bucket(base.unit, 't');
  const group = base.field === null ? `''` : `coalesce(${base.field.sql}, '(none)')`;
  return {
    pipe: basePipe(event ?? '*', base, `count, ${aggregate.pipe} of ${inner} per ${per.pipe} ${byOf(base)}`),
    sql: (dialect) => {
      const kept = all(inRange(base.range), base.where.sql(dialect), event === null ? 'true' : `event_type = ${quoted(event)}`); // prettier-ignore
      const test = condition?.sql(dialect) ?? 'true';
      const met = measure.sql(dialect).replace(/\(DISTINCT (\w+)\)|\((\w+|\*)\)/u, (_, distinct?: string, of?: string) =>
          distinct === undefined ? `(CASE WHEN ${test} THEN ${of === '*' ? '1' : of} END)` : `(DISTINCT CASE WHEN ${test} THEN ${distinct} END)`); // prettier-ignore
      return `
        WITH kept AS (SELECT *, ${bucket} AS bucket, ${group} AS grp, ${per.sql} AS each_of FROM e WHERE ${kept}),
        each_one AS (SELECT bucket, grp, each_of, count(*) AS events, ${met} AS metric FROM kept GROUP BY bucket, grp, each_of),
        counted AS (SELECT bucket, grp, events, CASE WHEN each_of IS NOT NULL THEN metric END AS metric FROM each_one)
        SELECT bucket, grp, sum(events), ${aggregate.sql(dialect, 'metric')} FROM counted GROUP BY bucket, grp`;
    },
    rows: (answer) => tableRows(answer, base).filter((row) => row[2] !== 0),
  };
}
