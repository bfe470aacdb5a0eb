/** The windows of time that a row is in, which may overlap: they follow each other, from one number to another. */
import {
  type Rolling,
  type TimeUnit,
  windowsOf,
  zoneOf,
  addDuration,
  DAY_MS,
  type Duration,
  fixedLength,
  MAX_TIME,
  type Stretch,
  type TimeRange,
  type Zone,
} from '../../../../lib/seam.ts';
import { bucketColumn, bucketIndex, runsOf } from './buckets.ts';
import { join, sql, whole, type Sql } from './statement.ts';
import { startedBy } from './times.ts';

/**
 * The number of the window that a row counts in, and the kind of that window, where operands have windows of their own: a row is
 * there once for each. Both are of one array that is joined, and so of the same element.
 */
export function kindedWindow(
  plan: { readonly zone: string },
  rolling: Rolling,
  unit: TimeUnit,
  ms: Sql,
): { readonly window: Sql; readonly kind: Sql; readonly labels: readonly string[] } {
  const kinds = (rolling.spans ?? [rolling.span]).map((span) => windowColumn(plan, { ...rolling, span }, unit, ms));
  const pairs = kinds.map(({ windows }, kind) => sql`arrayMap(w -> (w, ${whole(kind)}), ${windows})`);
  const pair = sql`arrayJoin(arrayConcat(${join(pairs, ', ')}))`;
  return { window: sql`tupleElement(${pair}, 1)`, kind: sql`tupleElement(${pair}, 2)`, labels: kinds[0]?.labels ?? [] };
}

/**
 * `windows`: an array of their numbers, which are those of their buckets; -1 alone where the row is in none.
 * @param ms A time in the plan's range.
 */
function windowColumn(
  { zone }: { readonly zone: string },
  { shown, span }: Rolling,
  unit: TimeUnit,
  ms: Sql,
): { readonly windows: Sql; readonly labels: readonly string[] } {
  const { index, labels, starts } = bucketColumn({ range: shown, zone }, unit, ms);
  const [start] = starts;
  if (start === undefined) return { windows: sql`[-1]`, labels };
  const { from } = windowsOf(shown, span, unit, zoneOf({ zone }));
  const first = sql`toInt64(if(${ms} < ${whole(start)}, 0, ${index}))`;
  const last = sql`toInt64(if(${ms} < ${whole(from[0]!)}, -1, ${begunAt(from, shown.to, ms)}))`;
  return { windows: sql`if(${first} > ${last}, [toInt64(-1)], range(${first}, ${last} + 1))`, labels };
}

/** The number of the last window that has begun. Several may begin at once. */
function begunAt(from: Float64Array, end: number, ms: Sql): Sql {
  if (from[0] === from.at(-1)) return whole(from.length - 1);
  return new Set(from).size === from.length ? bucketIndex(runsOf(from, end), ms) : startedBy(ms, [...from]);
}

interface Window {
  readonly window: Duration;
  readonly zone: Zone;
  /** Of the times. */
  readonly range: TimeRange;
}

/** `time` plus (sign 1) or minus (-1) a window. Where the window holds the whole range, it may be any time outside of it. */
export function windowEnd(time: Sql, sign: 1 | -1, { window, zone, range }: Window): Sql {
  const length = fixedLength(window);
  if (length !== null) return sql`(${time} + ${whole(sign * Math.min(length, MAX_TIME))})`;
  const far = addDuration(sign === 1 ? range.from : range.to - 1, window, zone, sign);
  if (far < range.from || far >= range.to) return whole(sign * MAX_TIME);
  const months = sign * window.count * (window.unit === 'y' ? 12 : window.unit === 'q' ? 3 : 1);
  const stretches = stretchesAround(range, zone);
  const of = (read: (stretch: Stretch) => number): Sql =>
    wholes(stretches.map((stretch) => Math.min(Math.max(read(stretch), -MAX_TIME), MAX_TIME)));
  const [starts, ends, offsets] = [of(({ start }) => start), of(({ end }) => end), of(({ offset }) => offset)];
  // As addMonths and utcOfLocal of lib/dsl/time: the first stretch of one offset that does not end before the wall clock's time.
  const offset = sql`arrayElement(${offsets}, indexOfAssumeSorted(${starts}, roundDown(${time}, ${starts})))`;
  const local = sql`toUnixTimestamp64Milli(addMonths(fromUnixTimestamp64Milli(${time} + ${offset}, 'UTC'), ${whole(months)}))`;
  const at = sql`arrayFirstIndex((end, offset) -> local - offset < end, ${ends}, ${offsets})`;
  return sql`arrayMap(local -> arrayMap(at -> greatest(${starts}[at], local - ${offsets}[at]), [${at}])[1], [${local}])[1]`;
}

/** A year more at both ends: a moved time is read there. */
function stretchesAround({ from, to }: TimeRange, zone: Zone): Stretch[] {
  const stretches: Stretch[] = [];
  for (let at = from - 366 * DAY_MS; at <= to + 366 * DAY_MS; at = stretches.at(-1)!.end)
    stretches.push(zone.stretchAt(at));
  return stretches;
}

const wholes = (values: readonly number[]): Sql => sql`CAST([${join(values.map(whole), ', ')}], 'Array(Int64)')`;
