/**
 * Time buckets of a zone: hours, days, weeks (from Monday, or Sunday), months, quarters, years. They partition time: a bucket ends where
 * the next begins. A day (or longer) begins at its first instant, which need not be midnight, and a day that the zone skipped
 * has no bucket. An hour is the local clock hour at one offset: a new one begins where the offset changes.
 */
import { DAY_MS, HOUR_MS } from '../../base/day.ts';
import { AppError } from '../../base/errors.ts';
import { kept } from '../../base/kept.ts';
import { lowerBound } from '../../base/lower-bound.ts';
import { unitWord, type TimeRange, type TimeUnit } from './units.ts';
import { dateText, floorLocal, nextLocal } from './calendar.ts';
import { offsetText, writableOffset } from './offset.ts';
import { type Stretch, LARGEST_SHIFT } from './transitions.ts';
import { utcOfLocal, type Zone } from './zone.ts';

export interface Buckets {
  /** First instants, ascending; the first may precede `range.from`. Bucket i ends where i + 1 starts. */
  readonly starts: Float64Array;
  /** As printed, one for each bucket. Made when they are first asked for. */
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
const known = new WeakMap<TimeRange, Map<TimeUnit, InZone>>();

interface InZone {
  readonly zone: Zone;
  readonly buckets: Buckets;
}

/** Every bucket that overlaps the range; none for an empty range. Throws AppError `bad_query` beyond MAX_BUCKETS. */
export function bucketsOf(range: TimeRange, unit: TimeUnit, zone: Zone): Buckets {
  const own = kept(known, range, () => new Map<TimeUnit, InZone>());
  const before = own.get(unit);
  if (before?.zone === zone) return before.buckets;
  const buckets = makeBuckets(range, unit, zone);
  own.set(unit, { zone, buckets });
  return buckets;
}

/** Whether the range has more buckets than an answer can, told without counting: not of some that the clocks shorten. */
export function hasTooMany(range: TimeRange, unit: TimeUnit): boolean {
  return (range.to - range.from) / LONGEST[unit] > MAX_BUCKETS;
}

function makeBuckets(range: TimeRange, unit: TimeUnit, zone: Zone): Buckets {
  if (hasTooMany(range, unit)) throw tooMany(unit);
  const found: number[] = [];
  const length = LENGTH[unit];
  let calm: Calm = { until: -Infinity, offset: 0 };
  let start = range.from < range.to ? bucketStart(zone, unit, range.from) : range.to;
  while (start < range.to) {
    found.push(start);
    if (start + length > calm.until) calm = calmAt(zone, start);
    start = start + length <= calm.until ? start + length : nextBucket(zone, unit, start);
  }
  if (found.length > MAX_BUCKETS) throw tooMany(unit);
  const starts = Float64Array.from(found);
  let labels: readonly string[] | null = null;
  return {
    starts,
    get labels() {
      return (labels ??= labelsOf(starts, unit, zone));
    },
  };
}

function labelsOf(starts: Float64Array, unit: TimeUnit, zone: Zone): string[] {
  let calm: Calm = { until: -Infinity, offset: 0 };
  return Array.from(starts, (start) => {
    const end = start + LENGTH[unit];
    if (end > calm.until) calm = calmAt(zone, start);
    return end <= calm.until ? dateText(start + calm.offset) : bucketLabel(zone, unit, start);
  });
}

/** How many buckets overlap the range, told without making them. */
export function countBuckets(range: TimeRange, unit: TimeUnit, zone: Zone): number {
  const length = unit === 'hour' ? HOUR_MS : LENGTH[unit];
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
  ...{ hour: NaN, day: DAY_MS, week: 7 * DAY_MS, sunday_week: 7 * DAY_MS },
  ...{ month: NaN, quarter: NaN, year: NaN },
};

/** From some day on, no change of clocks has to do with the days before `until`. */
interface Calm {
  readonly until: number;
  readonly offset: number;
}

function calmAt(zone: Zone, start: number): Calm {
  const { start: from, end, offset } = zone.stretchAt(start);
  return { until: start - LARGEST_SHIFT < from ? -Infinity : end - LARGEST_SHIFT, offset };
}

/** The index of the bucket around a moment within the buckets' range. */
export function bucketIndex(starts: Float64Array, ms: number): number {
  return Math.max(0, lowerBound(starts, ms + 1) - 1); // times are whole milliseconds
}

/** The longest of each unit, clock changes aside: a range of more than MAX_BUCKETS of them is refused without counting. */
const LONGEST: Record<TimeUnit, number> = {
  hour: HOUR_MS,
  day: DAY_MS,
  week: 7 * DAY_MS,
  sunday_week: 7 * DAY_MS,
  month: 31 * DAY_MS,
  quarter: 92 * DAY_MS,
  year: 366 * DAY_MS,
};

function hourAt(zone: Zone, ms: number): { start: number; end: number } {
  const stretch = zone.stretchAt(ms);
  const start = Math.floor((ms + stretch.offset) / HOUR_MS) * HOUR_MS - stretch.offset;
  return {
    start: start >= stretch.start ? start : backTo(zone, stretch, start),
    end: start + HOUR_MS <= stretch.end ? start + HOUR_MS : onTo(zone, stretch, start + HOUR_MS),
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
  const local = Math.floor((start + offset) / HOUR_MS) * HOUR_MS;
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
