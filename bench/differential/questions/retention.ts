/** Retention by day and week, as one row for each group, cohort and period that has somebody, or something other than 0. */
import type { Row } from '../../peers/peer.ts';
import { randomWhere } from '../conditions.ts';
import { quoted } from '../dialect.ts';
import { all, bucketCell, inRange, LENGTH, pipeOf, randomCalendar, randomRange, type Question } from '../question.ts';
import type { Random } from '../random.ts';
import type { NumberField, Some, Vocabulary } from '../vocabulary.ts';

interface Cells {
  readonly metric: string;
  readonly sql: string;
  readonly many: keyof typeof PERIODS;
}

/** What is in the cells: who returned, or a metric of what they did. Several periods may be in one cell. */
const cellsOf = ({ pipe }: NumberField): Some<Cells> => [
  { metric: '', sql: 'count(DISTINCT person)', many: '' },
  { metric: '', sql: 'count(DISTINCT person)', many: '' },
  { metric: '', sql: 'count(DISTINCT person)', many: 'unbounded' },
  { metric: 'count', sql: 'count(*)', many: '' },
  { metric: `sum ${pipe}`, sql: 'sum(n)', many: '' },
  { metric: `avg ${pipe}`, sql: 'avg(n)', many: '' },
  { metric: `count[${pipe} > 5]`, sql: `count(CASE WHEN n > 5 THEN 1 END)`, many: '' },
  {
    metric: `avg ${pipe}[${pipe} > 0]`,
    sql: `avg(CASE WHEN n > 0 THEN n END)`,
    many: 'cumulative',
  },
  { metric: 'count', sql: 'count(*)', many: 'cumulative' },
  { metric: `sum ${pipe}`, sql: 'sum(n)', many: 'cumulative' },
  { metric: `avg ${pipe}`, sql: 'avg(n)', many: 'cumulative' },
];

/** Which periods `k` an event of a period counts for. */
const PERIODS = { '': 'k = period', unbounded: 'k <= period', cumulative: 'k >= period' } as const;

const groupsOf = ({ texts: [{ pipe, column }] }: Vocabulary): Some<{ readonly by: string; readonly sql: string }> => [
  { by: '', sql: `''` },
  { by: '', sql: `''` },
  { by: `, ${pipe}`, sql: `coalesce(${column}, '(none)')` },
];

/** `periods` of what nobody limits, of ranges with so many buckets. */
const LAST = 12;

export function retentionQuestion(random: Random): Question {
  const range = randomRange(random);
  const calendar = randomCalendar(random);
  const where = randomWhere(random);
  const unit = random.one(['day', 'week']);
  const number = random.one(random.words.numbers);
  const [cell, group] = [random.one(cellsOf(number)), random.one(groupsOf(random.words))];
  const periods = random.chance(0.5) ? random.whole(1, 60) : null;
  // The first of all counts, which may lie before the range.
  const first = random.chance(0.3);
  const lastTime = `t < ${range.to}`;
  const start = random.chance(0.8) ? random.one(random.words.events) : null;
  const back = random.chance(0.5) ? random.one(random.words.events) : null;
  const is = (event: string | null): string => (event === null ? 'true' : `event_type = ${quoted(event)}`);
  const returning = back ?? random.one(['', 'any']);
  const source = `retention ${first ? 'first ' : ''}${start ?? '*'}${returning === '' ? '' : ` returning ${returning}`}`;
  const by = `${cell.metric} by ${unit}${group.by}`;
  const stages = [periods === null ? '' : `periods ${periods}`, cell.many];
  const last = (calendar.bucketOf(unit, range.to - 1) - calendar.bucketOf(unit, range.from)) / LENGTH[unit];
  return {
    pipe: pipeOf(source, range.stage, calendar.stage, where.pipe, by, ...random.some(stages, 2)),
    sql: (dialect) => {
      const kept = all(first ? lastTime : inRange(range), where.sql(dialect), 'person IS NOT NULL');
      return `
        WITH kept AS (SELECT person, t, arrival, event_type, ${number.column} AS n, ${group.sql} AS grp, ${calendar.bucket(unit, 't')} AS bucket FROM e WHERE ${kept}),
        starts AS (SELECT person, min(t) AS began, ${dialect.atFirst('arrival')} AS arrived, ${dialect.atFirst('grp')} AS named FROM kept WHERE ${is(start)} GROUP BY person),
        s AS (SELECT person, began AS t, arrived AS arrival, named AS grp, ${calendar.bucket(unit, 'began')} AS bucket FROM starts WHERE began >= ${range.from} AND began < ${range.to}),
        r AS (SELECT person, t, arrival, n, bucket FROM kept WHERE ${is(back)}),
        returned AS (SELECT s.person AS person, s.grp AS grp, s.bucket AS cohort, r.n AS n, (r.bucket - s.bucket) / ${LENGTH[unit]} AS period
          FROM s JOIN r ON s.person = r.person WHERE r.t > s.t OR (r.t = s.t AND r.arrival >= s.arrival)),
        cells AS (SELECT grp, cohort, i AS k, ${cell.sql} AS v FROM returned CROSS JOIN ${dialect.series((periods ?? Math.min(LAST, last)) + 1)}
          WHERE ${PERIODS[cell.many].replace('k', 'i')} AND cohort + i * ${LENGTH[unit]} <= ${calendar.bucketOf(unit, range.to - 1)} GROUP BY grp, cohort, i)
        SELECT grp, bucket, -1, count(*) FROM s GROUP BY grp, bucket
        UNION ALL SELECT grp, cohort, k, v FROM cells WHERE v <> 0`;
    },
    rows: (answer) => answer.flatMap((row) => longRows(group.by === '' ? ['', ...row] : row)),
  };
}

/** The first cell is the size of the cohort, given as period -1. */
function longRows([group, cohort, ...cells]: Row): Row[] {
  return cells.flatMap((value, at): Row[] =>
    value === null || value === 0 ? [] : [[group ?? '(none)', bucketCell(cohort), at - 1, value]],
  );
}
