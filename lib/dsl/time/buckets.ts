/**
 * Time buckets of a zone: hours, days, weeks (from Monday, or Sunday), months, quarters, years. They partition time: a bucket ends where
 * the next begins. A day (or longer) begins at its first instant, which need not be midnight, and a day that the zone skipped
 * has no bucket. An hour is the local clock hour at one offset: a new one begins where the offset changes.
 */
import { AppError } from '../../base/errors.ts';
import { lowerBound } from '../../base/lower-bound.ts';
import { unitWord, type TimeRange, type TimeUnit } from './units.ts';
import { DAY, dateText, floorLocal, HOUR, nextLocal } from './calendar.ts';
import { offsetText, writableOffset } from './offset.ts';
import type { Stretch } from './transitions.ts';
import { utcOfLocal, type Zone } from './zone.ts';

export interface Buckets {
  /** First instants, ascending; the first may precede `range.from`. Bucket i ends where i + 1 starts. */
  readonly starts: Float64Array;
  /** As printed, one for each bucket. */
  readonly labels: readonly string[];
}

/** The most buckets of a query: they are rows of an answer, and arrays in every partial result. */
export const MAX_BUCKETS = 1_000_000;

/** The first instant of the bucket around a moment. */
export function bucketStart(zone: Zone, unit: TimeUnit, ms: number): number {
  if (unit === 'hour') return hourAt(zone, ms).start;
  let local = floorLocal(unit, ms + zone.offsetAt(ms));
  let start = utcOfLocal(zone, local);
  // Clocks set back over midnight show the previous evening again; by then the new day has begun.
  for (;;) {
    local = nextLocal(unit, local);
    const next = utcOfLocal(zone, local);
    if (next > ms) return start;
    start = next;
  }
}

/** The first instant of the bucket after the one that starts at `start`. */
export function nextBucket(zone: Zone, unit: TimeUnit, start: number): number {
  if (unit === 'hour') return hourAt(zone, start).end;
  let local = floorLocal(unit, start + zone.offsetAt(start));
  for (;;) {
    local = nextLocal(unit, local);
    const next = utcOfLocal(zone, local);
    if (next > start) return next;
  }
}

/**
 * A bucket as printed: `2026-11-20`, an hour `2026-11-20T14:00:00Z` or `…+05:45`. If the offset changes within an hour, its two
 * halves differ only in the offset. @param start The bucket's first instant.
 */
export function bucketLabel(zone: Zone, unit: TimeUnit, start: number): string {
  return unit === 'hour' ? hourLabel(start, zone.offsetAt(start)) : dateLabel(zone, unit, start);
}

/** Those of ranges in use: a query needs its buckets several times. */
const known = new WeakMap<TimeRange, { readonly unit: TimeUnit; readonly zone: Zone; readonly buckets: Buckets }>();

/** Every bucket that overlaps the range; none for an empty range. Throws AppError `bad_query` beyond MAX_BUCKETS. */
export function bucketsOf(range: TimeRange, unit: TimeUnit, zone: Zone): Buckets {
  const before = known.get(range);
  if (before?.unit === unit && before.zone === zone) return before.buckets;
  const buckets = makeBuckets(range, unit, zone);
  known.set(range, { unit, zone, buckets });
  return buckets;
}

/** Whether the range has more buckets than an answer can, told without counting: not of some that the clocks shorten. */
export function hasTooMany(range: TimeRange, unit: TimeUnit): boolean {
  return (range.to - range.from) / LONGEST[unit] > MAX_BUCKETS;
}

function makeBuckets(range: TimeRange, unit: TimeUnit, zone: Zone): Buckets {
  if (hasTooMany(range, unit)) throw tooMany(unit);
  const starts: number[] = [];
  const labels: string[] = [];
  const length = LENGTH[unit];
  let calm: Calm = { until: -Infinity, offset: 0 };
  let start = range.from < range.to ? bucketStart(zone, unit, range.from) : range.to;
  while (start < range.to) {
    starts.push(start);
    if (start + length > calm.until) calm = calmAt(zone, start);
    if (start + length <= calm.until) {
      labels.push(dateText(start + calm.offset));
      start += length;
    } else {
      labels.push(bucketLabel(zone, unit, start));
      start = nextBucket(zone, unit, start);
    }
  }
  if (starts.length > MAX_BUCKETS) throw tooMany(unit);
  return { starts: Float64Array.from(starts), labels };
}

/** How many buckets overlap the range, told without making them. */
export function countBuckets(range: TimeRange, unit: TimeUnit, zone: Zone): number {
  const length = unit === 'hour' ? HOUR : LENGTH[unit];
  let count = 0;
  let start = range.from < range.to ? bucketStart(zone, unit, range.from) : range.to;
  while (start < range.to) {
    const alike = Math.floor((Math.min(calmAt(zone, start).until, range.to) - start) / length);
    count += alike >= 1 ? alike : 1;
    start = alike >= 1 ? start + alike * length : nextBucket(zone, unit, start);
  }
  return count;
}

/** The labels of the last buckets of a range. */
export function lastLabels({ from, to }: TimeRange, count: number, unit: TimeUnit, zone: Zone): readonly string[] {
  if (count === 0) return [];
  return bucketsOf({ from: Math.max(from, to - (count + 2) * LONGEST[unit]), to }, unit, zone).labels.slice(-count);
}

/** Of units that are equally long, and begin at midnight, while the clocks are calm; NaN: of others. */
const LENGTH: Readonly<Record<TimeUnit, number>> = {
  ...{ hour: NaN, day: DAY, week: 7 * DAY, sunday_week: 7 * DAY },
  ...{ month: NaN, quarter: NaN, year: NaN },
};

/** From some day on, no change of clocks has to do with the days before `until`. */
interface Calm {
  readonly until: number;
  readonly offset: number;
}

/** A change of clocks is of at most a day, and shows in local times as far around it. */
const AROUND = 2 * DAY;

function calmAt(zone: Zone, start: number): Calm {
  const { start: from, end, offset } = zone.stretchAt(start);
  return { until: start - AROUND < from ? -Infinity : end - AROUND, offset };
}

/** The index of the bucket around a moment within the buckets' range. */
export function bucketIndex(starts: Float64Array, ms: number): number {
  return Math.max(0, lowerBound(starts, ms + 1) - 1); // times are whole milliseconds
}

/** The longest of each unit, clock changes aside: a range of more than MAX_BUCKETS of them is refused without counting. */
const LONGEST: Record<TimeUnit, number> = {
  hour: HOUR,
  day: DAY,
  week: 7 * DAY,
  sunday_week: 7 * DAY,
  month: 31 * DAY,
  quarter: 92 * DAY,
  year: 366 * DAY,
};

function hourAt(zone: Zone, ms: number): { start: number; end: number } {
  const stretch = zone.stretchAt(ms);
  const start = Math.floor((ms + stretch.offset) / HOUR) * HOUR - stretch.offset;
  return {
    start: start >= stretch.start ? start : backTo(zone, stretch, start),
    end: start + HOUR <= stretch.end ? start + HOUR : onTo(zone, stretch, start + HOUR),
  };
}

/** Stretches may also end where nothing changes; an hour then continues into a neighbour of the same offset. */
function backTo(zone: Zone, stretch: Stretch, start: number): number {
  const before = zone.stretchAt(stretch.start - 1);
  return before.offset === stretch.offset ? Math.max(start, before.start) : stretch.start;
}

function onTo(zone: Zone, stretch: Stretch, end: number): number {
  const after = zone.stretchAt(stretch.end);
  return after.offset === stretch.offset ? Math.min(end, after.end) : stretch.end;
}

/** The clock's hour, even if the offset changed within it and the bucket starts or ends in its middle. */
function hourLabel(start: number, offset: number): string {
  const local = Math.floor((start + offset) / HOUR) * HOUR;
  return new Date(local).toISOString().slice(0, -5) + offsetText(writableOffset(offset));
}

/** The nominal start: a month whose first day was skipped still has its name. */
function dateLabel(zone: Zone, unit: Exclude<TimeUnit, 'hour'>, start: number): string {
  return dateText(floorLocal(unit, start + zone.offsetAt(start)));
}

function tooMany(unit: TimeUnit): AppError {
  const longer = unit === 'year' ? 'a shorter range' : 'a shorter range or a longer bucket';
  return new AppError(
    'bad_query',
    `the range has more than ${MAX_BUCKETS} buckets of one ${unitWord(unit)}; choose ${longer}`,
    {
      hints: ['last 30d'],
    },
  );
}
