/** Stages that work on the answer: `share`, `having` and `compare`. */
import { randomCondition, type BothWays } from '../conditions.ts';
import { LENGTH, type Question, type Range } from '../question.ts';
import type { Random } from '../random.ts';
import { basePipe, byOf, columnOf, countBuckets, MEASURES, randomBase, randomMeasures, tableOf, tableRows, type Base, type Measure } from '../windowed-table.ts'; // prettier-ignore
import { DAY, EVENTS } from '../world.ts';

const GROUPS = [['field'], ['unit'], ['unit', 'field']] as const;

/** Shares of counts and sums, of all or of the rows of their bucket, and rows chosen by their cells. */
export function tableQuestion(random: Random): Question {
  const base = randomBase(random, random.one(GROUPS));
  const event = random.chance(0.5) ? random.one(EVENTS) : null;
  const first = random.one([MEASURES[0], MEASURES[3] ?? MEASURES[0]]);
  const others = randomMeasures(random, 2).filter((other) => columnOf(other) !== columnOf(first));
  const measures = [first, ...others];
  const hasShare = random.chance(0.5);
  const columns = measures.map((measure, at) => ({ pipe: columnOf(measure), sql: `m${at}` }));
  const shown = hasShare ? columns.toSpliced(1, 0, { pipe: 'share', sql: 'share' }) : columns;
  const having = random.chance(0.8) ? randomHaving(random, shown, 2) : null;
  const metrics = `${measures.map(({ pipe }) => pipe).join(', ')} ${byOf(base)}`;
  const stages = [hasShare ? 'share' : '', having === null ? '' : `having ${having.pipe}`];
  return {
    pipe: basePipe(event ?? '*', base, metrics, ...random.some(stages, 2)),
    sql: (dialect) => `
      WITH answer AS (${tableOf(dialect, base, measures, { events: event === null ? null : [event] })}),
      shared AS (SELECT *, m0 * 1.0 / nullif(sum(m0) OVER (PARTITION BY bucket), 0) AS share FROM answer),
      whole AS (SELECT *, m0 * 1.0 / nullif(sum(m0) OVER (), 0) AS share FROM answer)
      SELECT bucket, grp, ${shown.map(({ sql }) => sql).join(', ')} FROM ${base.unit === null ? 'whole' : 'shared'} WHERE ${having?.sql(dialect) ?? 'true'}`,
    rows: (answer) => tableRows(answer, base),
  };
}

interface Column {
  readonly pipe: string;
  readonly sql: string;
}

function randomHaving(random: Random, columns: readonly Column[], depth: number): BothWays {
  if (depth > 0 && random.chance(0.4)) {
    const [left, right] = [randomHaving(random, columns, depth - 1), randomHaving(random, columns, depth - 1)];
    const word = random.one(['and', 'or']);
    return {
      pipe: `(${left.pipe} ${word} ${right.pipe})`,
      sql: (dialect) => `((${left.sql(dialect)}) ${word.toUpperCase()} (${right.sql(dialect)}))`,
    };
  }
  const { pipe, sql } = columns[random.whole(0, columns.length - 1)]!;
  if (random.chance(0.15)) return { pipe: `${pipe} exists`, sql: () => `${sql} IS NOT NULL` };
  const limit = pipe === 'share' ? random.one([0.1, 0.25, 0.5]) : random.one([0, 1, 2, 5, 12.5, -1]);
  const sign = random.one(['<', '<=', '>', '>=', '=', '!=']);
  if (sign === '!=') return { pipe: `${pipe} != ${limit}`, sql: () => `coalesce(${sql} <> ${limit}, true)` };
  return { pipe: `${pipe} ${sign} ${limit}`, sql: () => `coalesce(${sql} ${sign} ${limit}, false)` };
}

/** Metrics beside those of an earlier range, matched by the number of the bucket and by the group. */
export function compareQuestion(random: Random): Question {
  const base = randomBase(random, random.one([[], ...GROUPS]));
  const event = random.chance(0.5) ? random.one(EVENTS) : null;
  const measures = randomMeasures(random, 3).map((measure): Measure => {
    if (random.chance(0.8)) return measure;
    const { pipe, sql } = randomCondition(random, 1);
    return { ...measure, pipe: `${measure.pipe}[${pipe}] as ${columnOf(measure)}`, test: sql };
  });
  const { stage, range } = randomEarlier(random, base);
  const only = { events: event === null ? null : [event] };
  return {
    pipe: basePipe(event ?? '*', base, `${measures.map(({ pipe }) => pipe).join(', ')} ${byOf(base)}`, stage),
    sql: (dialect) => {
      const now = numbered(base, base.range, tableOf(dialect, base, measures, only));
      const before = numbered(base, range, tableOf(dialect, base, measures, { ...only, range }));
      const first = base.unit === null ? 0 : base.calendar.bucketOf(base.unit, base.range.from);
      const length = base.unit === null ? 0 : LENGTH[base.unit];
      const cells = measures.map(({ empty }, at) => `
        CASE WHEN now.k IS NULL THEN ${empty} ELSE now.m${at} END AS m${at},
        CASE WHEN before.k IS NULL THEN CASE WHEN now.k < ${countBuckets(base, range)} THEN ${empty} END ELSE before.m${at} END AS b${at}`); // prettier-ignore
      return `
        WITH now AS (${now}), before AS (${before}),
        matched AS (SELECT coalesce(now.k, before.k) AS k, coalesce(now.grp, before.grp) AS grp, ${cells.join(', ')}
          FROM now FULL JOIN before ON now.k = before.k AND now.grp = before.grp)
        SELECT ${first} + k * ${length}, grp, ${measures.map((_, at) => `m${at}, b${at}, m${at} * 1.0 / nullif(b${at}, 0) - 1`).join(', ')}
        FROM matched WHERE k < ${countBuckets(base, base.range)}`;
    },
    rows: (answer) => tableRows(answer, base),
  };
}

/** A table with the number of the bucket, `k`. */
function numbered({ calendar, unit }: Base, range: Range, table: string): string {
  const k = unit === null ? '0' : `(bucket - ${calendar.bucketOf(unit, range.from)}) / ${LENGTH[unit]}`;
  return `SELECT *, ${k} AS k FROM (${table}) AS answer`;
}

function randomEarlier(random: Random, { range, calendar }: Base): { readonly stage: string; readonly range: Range } {
  const earlier = (from: number, to: number): Range => ({ from, to, stage: '' });
  const days = random.whole(1, 20);
  const weeks = random.whole(1, 3);
  const { from, to } = range;
  switch (random.one(['days', 'weeks', 'previous', 'previous'])) {
    case 'days':
      return { stage: `compare ${days} d ago`, range: earlier(from - days * DAY, to - days * DAY) };
    case 'weeks':
      return { stage: `compare ${weeks} w ago`, range: earlier(from - weeks * 7 * DAY, to - weeks * 7 * DAY) };
    case 'previous': {
      const months = monthOf(to + calendar.ahead) - monthOf(from + calendar.ahead);
      const start = Number.isInteger(months) ? startOf(monthOf(from + calendar.ahead) - months) - calendar.ahead : from - (to - from); // prettier-ignore
      return { stage: 'compare previous', range: earlier(start, from) };
    }
  }
}

/** The number of a month that begins at a local time; no number elsewhere. */
function monthOf(local: number): number {
  const date = new Date(local);
  const month = date.getUTCFullYear() * 12 + date.getUTCMonth();
  return startOf(month) === local ? month : NaN;
}

function startOf(month: number): number {
  return Date.UTC(Math.floor(month / 12), month % 12);
}
