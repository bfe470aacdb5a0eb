/** Metrics by a time bucket, a field, both or none, each over windows of its own: one table in both languages. */
import type { BothWays } from './conditions.ts';
import { quoted, type Dialect } from './dialect.ts';
import { all, bucketCell, LENGTH, pipeOf, randomCalendar, randomRange, type BucketUnit, type Calendar, type Range } from './question.ts'; // prettier-ignore
import type { Random } from './random.ts';
import { randomWhere } from './conditions.ts';
import type { Cell, Row } from '../peers/peer.ts';

/** What is counted, and by what. */
export interface Base {
  readonly range: Range;
  readonly calendar: Calendar;
  readonly where: BothWays;
  readonly unit: BucketUnit | null;
  readonly field: GroupField | null;
}

export interface GroupField {
  readonly pipe: string;
  readonly sql: string;
}

/** Where a bucket's window begins: with the bucket, so many milliseconds before its end, or with the range. */
export type Window = 'bucket' | 'range' | number;

/** A metric. `test` chooses its rows, and `empty` is what it is of none. */
export interface Measure {
  readonly pipe: string;
  readonly sql: (dialect: Dialect) => string;
  readonly empty: '0' | 'NULL';
  readonly test?: (dialect: Dialect) => string;
  readonly window?: Window;
}

const NONE = '(none)';

export const FIELDS: readonly [GroupField, ...GroupField[]] = [
  { pipe: 'event_properties.browser', sql: 'browser' },
  { pipe: 'event_properties.path', sql: 'path' },
  { pipe: 'distinct_id', sql: 'person' },
];

/** Those that roll. */
export const MEASURES: readonly [Measure, ...Measure[]] = [
  { pipe: 'count', sql: () => 'count(*)', empty: '0' },
  { pipe: 'unique', sql: () => 'count(DISTINCT person)', empty: '0' },
  { pipe: 'unique event_properties.path', sql: () => 'count(DISTINCT path)', empty: '0' },
  { pipe: 'sum event_properties.n', sql: () => 'sum(n)', empty: 'NULL' },
  { pipe: 'avg event_properties.n', sql: () => 'avg(n)', empty: 'NULL' },
  { pipe: 'min event_properties.n', sql: () => 'min(n)', empty: 'NULL' },
  { pipe: 'max event_properties.n', sql: () => 'max(n)', empty: 'NULL' },
];

/** Metrics of different names, which are their columns. */
export function randomMeasures(random: Random, most: number): Measure[] {
  const chosen = random.some(MEASURES, random.whole(1, most));
  return chosen.filter(({ pipe }, at) => chosen.findIndex((other) => columnOf(other) === columnOf({ pipe })) === at);
}

export function columnOf({ pipe }: Pick<Measure, 'pipe'>): string {
  return pipe.split(' ')[0] ?? '';
}

export function randomBase(random: Random, groups: readonly ('unit' | 'field')[]): Base {
  return {
    range: randomRange(random),
    calendar: randomCalendar(random),
    where: randomWhere(random),
    unit: groups.includes('unit') ? random.one(['day', 'week']) : null,
    field: groups.includes('field') ? random.one(FIELDS) : null,
  };
}

/** The `by` of a base; empty without groups. */
export function byOf({ unit, field }: Base): string {
  const by = [...(unit === null ? [] : [unit]), ...(field === null ? [] : [field.pipe])];
  return by.length === 0 ? '' : `by ${by.join(', ')}`;
}

export function basePipe(source: string, base: Base, ...stages: readonly string[]): string {
  return pipeOf(source, base.range.stage, base.calendar.stage, base.where.pipe, ...stages);
}

/** How many buckets a range has; one where it is not divided. */
export function countBuckets({ calendar, unit }: Base, range: Pick<Range, 'from' | 'to'>): number {
  if (unit === null) return 1;
  return (calendar.bucketOf(unit, range.to - 1) - calendar.bucketOf(unit, range.from)) / LENGTH[unit] + 1;
}

/** A SELECT with the columns `bucket` (its local start; 0 without a unit), `grp`, `m0`, `m1` … */
export function tableOf(
  dialect: Dialect,
  base: Base,
  measures: readonly Measure[],
  { events = null, range = base.range }: { readonly events?: readonly string[] | null; readonly range?: Range } = {},
): string {
  const windows = measures.map(({ window = 'bucket' }) => window);
  const spans = windows.filter((window) => typeof window === 'number');
  const lowest = `(SELECT min(least(since, ${whole(range.from)}${spans.map((span) => `, till - ${span}`).join('')})) FROM w)`;
  const type = events === null ? 'true' : `event_type IN (${events.map(quoted).join(', ')})`;
  const rolls = windows.some((window) => window !== 'bucket');
  const groups = base.field === null ? `SELECT '' AS grp` : 'SELECT DISTINCT grp FROM kept';
  const isFilled = rolls || base.field === null;
  return `
    WITH w AS (${bucketsOf(dialect, base, range)}),
    kept AS (SELECT *, ${base.field === null ? `''` : `coalesce(${base.field.sql}, '${NONE}')`} AS grp FROM e
      WHERE ${all(`t >= ${lowest}`, `t < ${range.to}`, base.where.sql(dialect), type)}),
    grid AS (${isFilled ? `SELECT w.bucket AS bucket, g.grp AS grp FROM w CROSS JOIN (${groups}) AS g` : 'SELECT DISTINCT w.bucket AS bucket, kept.grp AS grp FROM w CROSS JOIN kept WHERE kept.t >= w.since AND kept.t < w.till'})
    ${measures.map((measure, at) => `, p${at} AS (${overWindows(dialect, measure)})`).join('')}
    SELECT grid.bucket AS bucket, grid.grp AS grp${measures.map(({ empty }, at) => `, coalesce(p${at}.v, ${empty}) AS m${at}`).join('')} FROM grid
    ${measures.map((_, at) => `LEFT JOIN p${at} ON p${at}.bucket = grid.bucket AND p${at}.grp = grid.grp`).join(' ')}`;
}

function overWindows(dialect: Dialect, { sql, test, window = 'bucket' }: Measure): string {
  const begin =
    window === 'bucket' ? 'w.since' : window === 'range' ? '(SELECT min(since) FROM w)' : `w.till - ${window}`;
  return `SELECT w.bucket AS bucket, kept.grp AS grp, ${sql(dialect)} AS v FROM w CROSS JOIN kept
    WHERE ${all(`kept.t >= ${begin}`, 'kept.t < w.till', test?.(dialect) ?? 'true')} GROUP BY w.bucket, kept.grp`;
}

/** A number with a sign: ClickHouse takes those without one for something else. */
function whole(number: number): string {
  return `CAST(${number} AS BIGINT)`;
}

/** Every bucket of a range, with its part of the range: `bucket`, `since`, `till`. */
export function bucketsOf(dialect: Dialect, base: Base, { from, to }: Range): string {
  const { calendar, unit } = base;
  if (unit === null) return `SELECT 0 AS bucket, ${whole(from)} AS since, ${whole(to)} AS till`;
  const start = `(${calendar.bucketOf(unit, from)} + i * ${LENGTH[unit]})`;
  const begin = `${start} - ${calendar.ahead}`;
  return `SELECT ${start} AS bucket, greatest(${begin}, ${whole(from)}) AS since, least(${begin} + ${LENGTH[unit]}, ${whole(to)}) AS till FROM ${dialect.series(countBuckets(base, { from, to }))}`;
}

/** Rows of an answer as those of `tableOf`: the bucket as a number, 0 without one, and the group as a text. */
export function tableRows(answer: readonly Row[], { unit, field }: Base): Row[] {
  return answer.map((row) => {
    const cells: Cell[] = [...row];
    const bucket = unit === null ? 0 : bucketCell(cells.shift());
    const group = field === null ? '' : (cells.shift() ?? NONE);
    return [bucket, group, ...cells];
  });
}
