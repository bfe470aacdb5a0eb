/** Wall clocks, by asking Intl about every single instant, once. Slow and simple. */
import type { Duration, TimeRange, TimeUnit } from '../../lib/dsl/time/units.ts';
import { unreachable } from '../../lib/base/unreachable.ts';

const HOUR = 3600_000;
const DAY = 24 * HOUR;

/** Instants whose offsets are kept: answers ask for the same ones again, row by row. */
const MOST_KEPT = 500_000;
const offsets = new Map<string, number>();

/** The local clock minus UTC at an instant, milliseconds. */
export function offsetAt(time: number, zone: string): number {
  const key = `${zone} ${time}`;
  let offset = offsets.get(key);
  if (offset === undefined) {
    if (offsets.size >= MOST_KEPT) offsets.clear();
    offset = askIntl(time, zone);
    offsets.set(key, offset);
  }
  return offset;
}

function askIntl(time: number, zone: string): number {
  const parts = formatter(zone).formatToParts(time);
  const get = (type: string): number => Number(parts.find((part) => part.type === type)?.value);
  const wall = Date.UTC(get('year'), get('month') - 1, get('day'), get('hour'), get('minute'), get('second'));
  return wall - Math.floor(time / 1000) * 1000;
}

const formatters = new Map<string, Intl.DateTimeFormat>();

function formatter(zone: string): Intl.DateTimeFormat {
  const known = formatters.get(zone);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  formatters.set(zone, made);
  return made;
}

/** A wall clock is milliseconds as if its time were UTC. */
export function wallOf(time: number, zone: string): number {
  return time + offsetAt(time, zone);
}

/** The instant of a wall clock: the first of two, or the first after a gap. */
export function instantOf(wall: number, zone: string): number {
  const near = [wall - DAY, wall, wall + DAY].map((time) => offsetAt(time, zone));
  const exact = near.map((offset) => wall - offset).filter((time) => wallOf(time, zone) === wall);
  if (exact.length > 0) return Math.min(...exact);
  return firstInstant(wall - Math.max(...near) - 1, wall - Math.min(...near), (time) => wallOf(time, zone) >= wall);
}

/** The first instant in (low, high] for which `after` holds; `after` stays true from there on. */
function firstInstant(low: number, high: number, after: (time: number) => boolean): number {
  let [before, at] = [low, high];
  while (at - before > 1) {
    const middle = Math.floor((before + at) / 2);
    if (after(middle)) at = middle;
    else before = middle;
  }
  return at;
}

export function addDuration(time: number, { count, unit }: Duration, zone: string): number {
  switch (unit) {
    case 'm':
      return time + count * 60_000;
    case 'h':
      return time + count * HOUR;
    case 'd':
      return time + count * DAY;
    case 'w':
      return time + count * 7 * DAY;
    case 'mo':
      return addMonths(time, count, zone);
    case 'q':
      return addMonths(time, 3 * count, zone);
    case 'y':
      return addMonths(time, 12 * count, zone);
    default:
      return unreachable(unit);
  }
}

/** A duration earlier: days and weeks, too, by the calendar. */
export function stepBack(time: number, { count, unit }: Duration, zone: string): number {
  const days = unit === 'd' ? count : 7 * count;
  if (unit === 'd' || unit === 'w') return instantOf(wallOf(time, zone) - days * DAY, zone);
  return addDuration(time, { count: -count, unit }, zone);
}

/** Moves by calendar months; a day that the month lacks becomes its last. */
function addMonths(time: number, months: number, zone: string): number {
  const wall = new Date(wallOf(time, zone));
  const day = wall.getUTCDate();
  const first = Date.UTC(wall.getUTCFullYear(), wall.getUTCMonth() + months, 1);
  const last = new Date(Date.UTC(wall.getUTCFullYear(), wall.getUTCMonth() + months + 1, 0)).getUTCDate();
  return instantOf(first + (Math.min(day, last) - 1) * DAY + (wall.getTime() % DAY), zone);
}

/** `start <= time < end`; `label` as printed. */
export interface Bucket {
  readonly start: number;
  readonly end: number;
  readonly label: string;
}

export function bucketOf(time: number, unit: TimeUnit, zone: string): Bucket {
  if (unit === 'hour') return hourOf(time, zone);
  const bucket = bucketOfWall(wallOf(time, zone), unit, zone);
  // Where a midnight comes twice, its day has begun at the first, though the clock shows the day before once more.
  return bucket.end > time ? bucket : bucketOfWall(wallOf(bucket.end, zone), unit, zone);
}

function bucketOfWall(time: number, unit: Exclude<TimeUnit, 'hour'>, zone: string): Bucket {
  const wall = new Date(time);
  const [year, month] = [wall.getUTCFullYear(), wall.getUTCMonth()];
  const midnight = Math.floor(time / DAY) * DAY;
  const monday = midnight - ((wall.getUTCDay() + 6) % 7) * DAY;
  const sunday = midnight - wall.getUTCDay() * DAY;
  const walls: Record<Exclude<TimeUnit, 'hour'>, readonly [number, number]> = {
    day: [midnight, midnight + DAY],
    week: [monday, monday + 7 * DAY],
    sunday_week: [sunday, sunday + 7 * DAY],
    month: [Date.UTC(year, month, 1), Date.UTC(year, month + 1, 1)],
    quarter: [Date.UTC(year, month - (month % 3), 1), Date.UTC(year, month - (month % 3) + 3, 1)],
    year: [Date.UTC(year, 0, 1), Date.UTC(year + 1, 0, 1)],
  };
  const [from, to] = walls[unit];
  return { start: instantOf(from, zone), end: instantOf(to, zone), label: new Date(from).toISOString().slice(0, 10) };
}

/** An hour of the local clock at one offset: cut if the offset changes within it. */
function hourOf(time: number, zone: string): Bucket {
  const offset = offsetAt(time, zone);
  const wall = Math.floor((time + offset) / HOUR) * HOUR;
  const same = (at: number): boolean => offsetAt(at, zone) === offset;
  const [from, to] = [wall - offset, wall - offset + HOUR];
  const start = same(from) ? from : firstInstant(from, time, same);
  return {
    start,
    end: same(to - 1) ? to : firstInstant(time, to, (at) => !same(at)),
    label: new Date(wall).toISOString().slice(0, 19) + offsetText(offset),
  };
}

/** Answers ask for the buckets of the same two ranges again, row by row. */
const known = new Map<string, readonly Bucket[]>();

/** Every bucket that overlaps the range, ascending. */
export function bucketsOf(range: TimeRange, unit: TimeUnit, zone: string): readonly Bucket[] {
  const key = JSON.stringify([range.from, range.to, unit, zone]);
  const kept = known.get(key);
  if (kept !== undefined) return kept;
  const buckets: Bucket[] = [];
  for (let at = range.from; at < range.to;) {
    const bucket = bucketOf(at, unit, zone);
    buckets.push(bucket);
    at = bucket.end;
  }
  if (known.size >= 4) known.clear();
  known.set(key, buckets);
  return buckets;
}

/** RFC 3339 with milliseconds, in that zone. */
export function instantText(time: number, zone: string): string {
  const offset = offsetAt(time, zone);
  return new Date(time + offset).toISOString().slice(0, 23) + offsetText(offset);
}

function offsetText(offset: number): string {
  if (offset === 0) return 'Z';
  const minutes = Math.abs(offset) / 60_000;
  const two = (n: number): string => String(Math.floor(n)).padStart(2, '0');
  return `${offset < 0 ? '-' : '+'}${two(minutes / 60)}:${two(minutes % 60)}`;
}
