/** The time bucket of a row. Its bounds are the service's (lib/dsl/time/buckets.ts): ClickHouse may know other rules of a zone. */
import {
  bucketsOf,
  CALENDAR_PARTS,
  type CalendarPart,
  DAY_MS,
  floorLocal,
  HOUR_MS,
  partOfBucket,
  type TimeRange,
  type TimeUnit,
  unreachable,
  zoneOf,
} from '../../../../lib/seam.ts';
import { join, sql, whole, type Sql } from './statement.ts';
import { localTime, startedBy } from './times.ts';

export interface BucketColumn {
  /** The bucket's number, from 0. */
  readonly index: Sql;
  readonly labels: readonly string[];
  readonly starts: Float64Array;
}

interface InZone {
  readonly range: TimeRange;
  readonly zone: string;
}

/** @param ms A time in the plan's range. */
export function bucketColumn(plan: InZone, unit: TimeUnit, ms: Sql): BucketColumn {
  const buckets = bucketsOf(plan.range, unit, zoneOf(plan));
  return { ...buckets, index: bucketIndex(runsOf(buckets.starts, plan.range.to), ms) };
}

/**
 * The part of the calendar of a row, as its place among the labels. @param ms A time in the plan's range.
 */
export function partColumn(plan: InZone, part: CalendarPart, ms: Sql): Pick<BucketColumn, 'index' | 'labels'> {
  const { labels } = CALENDAR_PARTS[part];
  const zone = zoneOf(plan);
  switch (part) {
    case 'hour_of_day':
      return {
        labels,
        index: sql`intDiv(positiveModulo(${localTime(ms, zone, plan.range)}, ${whole(DAY_MS)}), ${whole(HOUR_MS)})`,
      };
    case 'month_of_year': {
      const { index, starts } = bucketColumn(plan, 'month', ms);
      const first = starts.length === 0 ? 0 : partOfBucket(zone, part, starts[0]!);
      return { labels, index: sql`((${whole(first)} + ${index}) % 12)` };
    }
    case 'weekday': // 1970-01-01 was a Thursday
      return { labels, index: sql`positiveModulo(${dayNumber(plan, ms)} + 3, 7)` };
    case 'day_of_month':
      return { labels, index: sql`(toDayOfMonth(addDays(toDate32('1970-01-01'), ${dayNumber(plan, ms)})) - 1)` };
    default:
      return unreachable(part);
  }
}

/** The day of a row, in days since 1970 by the calendar of the zone: days that follow each other in both are counted. */
function dayNumber(plan: InZone, ms: Sql): Sql {
  const zone = zoneOf(plan);
  const { starts } = bucketsOf(plan.range, 'day', zone);
  const runs: { readonly start: number; readonly first: number; last: number }[] = [];
  for (const [at, start] of starts.entries()) {
    const day = Math.floor(floorLocal('day', start + zone.offsetAt(start)) / DAY_MS);
    const before = runs.at(-1);
    if (before !== undefined && day === before.last + 1 && DAY_MS === start - starts[at - 1]!) before.last = day;
    else runs.push({ start, first: day, last: day });
  }
  const nth = startedBy(ms, runs.map(({ start }) => start)); // prettier-ignore
  const of = (pick: (run: (typeof runs)[number]) => number): Sql =>
    sql`[${join(runs.length === 0 ? [whole(0)] : runs.map((run) => whole(pick(run))), ', ')}][${nth} + 1]`;
  return sql`least(${of(({ first }) => first)} + intDiv(${ms} - ${of(({ start }) => start)}, ${whole(DAY_MS)}), ${of(({ last }) => last)})`;
}

/** Buckets of one length are counted; where the length changes, a new run of them begins. */
export function bucketIndex(runs: readonly Run[], ms: Sql): Sql {
  const [only] = runs;
  if (only === undefined) return whole(0);
  if (runs.length === 1) return runIndex(ms, whole(only.start), whole(only.first), whole(only.length));
  const nth = startedBy(
    ms,
    runs.map(({ start }) => start),
  );
  if (runs.every(({ count }) => count === 1)) return nth;
  const of = (pick: (run: Run) => number): Sql =>
    sql`[${join(
      runs.map((run) => whole(pick(run))),
      ', ',
    )}][${nth} + 1]`;
  return runIndex(
    ms,
    of(({ start }) => start),
    of(({ first }) => first),
    of(({ length }) => length),
  );
}

const runIndex = (ms: Sql, start: Sql, first: Sql, length: Sql): Sql =>
  sql`(${first} + intDiv(${ms} - ${start}, ${length}))`;

/** Buckets of the same length. */
interface Run {
  readonly start: number;
  /** The number of its first bucket. */
  readonly first: number;
  readonly length: number;
  count: number;
}

export function runsOf(starts: Float64Array, end: number): Run[] {
  const runs: Run[] = [];
  for (let first = 0; first < starts.length; first++) {
    const start = starts[first]!;
    const before = runs.at(-1);
    const next = starts[first + 1];
    // The last bucket may be cut, but not be taken for two.
    const length = next === undefined ? Math.max(before?.length ?? 1, end - start) : next - start;
    if (before?.length === length) before.count++;
    else runs.push({ start, first, length, count: 1 });
  }
  return runs;
}
