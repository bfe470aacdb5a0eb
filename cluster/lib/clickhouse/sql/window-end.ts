/** Where a window ends that begins at a time, or begins that ends there. */
import {
  addDuration,
  DAY,
  type Duration,
  fixedLength,
  MAX_TIME,
  type Stretch,
  type TimeRange,
  type Zone,
} from '../../../../lib/seam.ts';
import { join, sql, whole, type Sql } from './statement.ts';

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
  for (let at = from - 366 * DAY; at <= to + 366 * DAY; at = stretches.at(-1)!.end) stretches.push(zone.stretchAt(at));
  return stretches;
}

const wholes = (values: readonly number[]): Sql => sql`CAST([${join(values.map(whole), ', ')}], 'Array(Int64)')`;
