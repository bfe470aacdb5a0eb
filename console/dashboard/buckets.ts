/** Time buckets as answers name them, in local time: how they are read, and which of them the range cuts. */
import type { Envelope } from '../../lib/dashboards/data.ts';

export type BucketUnit = 'hour' | 'day' | 'week' | 'month' | 'quarter' | 'year';

type Range = Envelope['range'];

/** With more buckets than this, gaps are not filled: no screen has so many pixels. */
const MOST_BUCKETS = 4_000;

const UNITS: readonly BucketUnit[] = ['hour', 'day', 'week', 'month', 'quarter', 'year'];
const MONTHS: Readonly<Partial<Record<BucketUnit, number>>> = { month: 1, quarter: 3, year: 12 };
const HOUR_MS = 3_600_000;

/** The unit of a column according to its name: `day`, `Week`. */
export function unitOf(column: string): BucketUnit | null {
  return UNITS.find((unit) => unit === column.toLowerCase()) ?? null;
}

/**
 * Every bucket of a range, beginning with the one it starts in; null for hours, whose offsets only the answer knows. Weeks begin on
 * the day of `known`, a bucket of the answer.
 */
export function bucketsOf(unit: BucketUnit, { from, to }: Range, known: string): readonly string[] | null {
  if (unit === 'hour') return null;
  const buckets: string[] = [];
  for (let at = startOf(unit, from.slice(0, 10), known); wall(at) < to.slice(0, 23); at = nextOf(unit, at)) {
    if (buckets.push(at) > MOST_BUCKETS) return null;
  }
  return buckets;
}

/** Which of the buckets, in order, a time to the minute lies in; -1: none. */
export function bucketAt(unit: BucketUnit, buckets: readonly string[], time: string): number {
  const begins = buckets.map((bucket) => `${bucket}T00:00`.slice(0, 16));
  const index = begins.findLastIndex((begin) => begin <= time);
  const [bucket, begin] = [buckets[index], begins[index]];
  if (bucket === undefined || begin === undefined) return -1;
  if (unit === 'hour') return begin.slice(0, 13) === time.slice(0, 13) ? index : -1;
  return time.slice(0, 10) < nextOf(unit, bucket) ? index : -1;
}

/** The bucket so many later; an hour has no other. */
export function laterBucket(unit: Exclude<BucketUnit, 'hour'>, bucket: string, count: number): string {
  let at = bucket;
  for (let index = 0; index < count; index++) at = nextOf(unit, at);
  return at;
}

/** Whether the range cuts the bucket, so that its data is incomplete. */
export function isCut(unit: BucketUnit, bucket: string, { from, to }: Range): boolean {
  if (unit === 'hour') {
    const start = Date.parse(bucket);
    return start < Date.parse(from) || start + HOUR_MS > Date.parse(to);
  }
  return wall(bucket) < from.slice(0, 23) || wall(nextOf(unit, bucket)) > to.slice(0, 23);
}

/** The time of a bucket in the range, as the language reads it, and whether that is all of it. */
export function bucketRange(unit: BucketUnit, bucket: string, range: Range): { from: string; to: string; whole: boolean } {
  const { from, to } = range;
  const whole = !isCut(unit, bucket, range);
  if (unit === 'hour') {
    const end = new Date(Date.parse(bucket) + HOUR_MS).toISOString();
    return { from: Date.parse(bucket) < Date.parse(from) ? from : bucket, to: Date.parse(end) > Date.parse(to) ? to : end, whole };
  }
  const next = nextOf(unit, bucket);
  return { from: wall(bucket) < from.slice(0, 23) ? from : bucket, to: wall(next) > to.slice(0, 23) ? to : next, whole };
} // prettier-ignore

/** `14 Nov`, `Nov 2026`, `Q4 2026`, `14:00` in the reader's locale; `long` spells everything out. */
export function bucketText(unit: BucketUnit, bucket: string, length: 'short' | 'long'): string {
  const time = Date.parse(unit === 'hour' ? `${bucket.slice(0, 16)}Z` : `${bucket.slice(0, 10)}T00:00Z`);
  if (Number.isNaN(time)) return bucket;
  const long = length === 'long';
  switch (unit) {
    case 'hour':
      return long
        ? written(time, { weekday: 'short', day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' })
        : written(time, { hour: '2-digit', minute: '2-digit' });
    case 'day':
      return long
        ? written(time, { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' })
        : written(time, { day: 'numeric', month: 'short' });
    case 'week':
      return long
        ? `Week of ${written(time, { day: 'numeric', month: 'short', year: 'numeric' })}`
        : written(time, { day: 'numeric', month: 'short' });
    case 'month':
      return written(time, { month: long ? 'long' : 'short', year: 'numeric' });
    case 'quarter':
      return `Q${Math.floor(new Date(time).getUTCMonth() / 3) + 1} ${new Date(time).getUTCFullYear()}`;
    case 'year':
      return bucket.slice(0, 4);
  }
}

/** The days of a range, in its zone: `Nov 1 – 7, 2026`. */
export function spanText({ from, to }: Pick<Range, 'from' | 'to'>): string {
  const [first, last] = [from, to].map((text) => Date.parse(`${text.slice(0, 23)}Z`));
  if (first === undefined || last === undefined) return '';
  const options = { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' } as const;
  return new Intl.DateTimeFormat(undefined, options).formatRange(first, Math.max(first, last - 1)); // the end is exclusive
}

/** A time as the answer prints it, to the minute or second, in the answer's zone. */
export function momentText(text: string, to: 'minute' | 'second' = 'minute'): string {
  const seconds = to === 'second';
  const time = Date.parse(`${text.slice(0, seconds ? 19 : 16)}Z`);
  if (Number.isNaN(time)) return text;
  const minutes = { day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit' } as const;
  return written(time, seconds ? { ...minutes, second: '2-digit' } : minutes);
}

/** The time of day of such a time, to the minute. */
export function timeText(text: string): string {
  const time = Date.parse(`${text.slice(0, 16)}Z`);
  return Number.isNaN(time) ? text : written(time, { hour: '2-digit', minute: '2-digit' });
}

/** A moment by the clock of a zone, to the minute: `2026-11-20T14:30`. */
export function wallTimeIn(timeZone: string, moment: string): string {
  const two = { month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit' } as const;
  const parts = new Intl.DateTimeFormat('en', { ...two, year: 'numeric', hourCycle: 'h23', timeZone });
  const texts = new Map(parts.formatToParts(new Date(moment)).map(({ type, value }) => [type, value]));
  const of = (type: Intl.DateTimeFormatPartTypes): string => texts.get(type) ?? '';
  return `${of('year').padStart(4, '0')}-${of('month')}-${of('day')}T${of('hour')}:${of('minute')}`;
}

/** A moment in a zone, with the zone: `Nov 29, 2026, 2:56 PM UTC`. */
export function clockText(at: Date, timeZone: string): string {
  const options = { day: 'numeric', month: 'short', year: 'numeric', hour: 'numeric', minute: '2-digit' } as const;
  return new Intl.DateTimeFormat(undefined, { ...options, timeZone, timeZoneName: 'short' }).format(at);
}

/** The day of a moment by this browser's clock: when something was stored. */
export const dayHere = (moment: string): string =>
  new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' }).format(new Date(moment));

/** The same, to the minute. */
export const minuteHere = (moment: string): string =>
  new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(moment));

function wall(date: string): string {
  return `${date.slice(0, 10)}T00:00:00.000`;
}

function startOf(unit: BucketUnit, date: string, known: string): string {
  const day = new Date(`${date}T00:00Z`);
  const first = new Date(`${known.slice(0, 10)}T00:00Z`).getUTCDay();
  if (unit === 'week') day.setUTCDate(day.getUTCDate() - ((day.getUTCDay() - first + 7) % 7));
  const months = MONTHS[unit];
  if (months !== undefined) day.setUTCMonth(Math.floor(day.getUTCMonth() / months) * months, 1);
  return day.toISOString().slice(0, 10);
}

function nextOf(unit: BucketUnit, date: string): string {
  const day = new Date(`${date.slice(0, 10)}T00:00Z`);
  const months = MONTHS[unit];
  if (months === undefined) day.setUTCDate(day.getUTCDate() + (unit === 'week' ? 7 : 1));
  else day.setUTCMonth(day.getUTCMonth() + months);
  return day.toISOString().slice(0, 10);
}

const writers = new Map<string, Intl.DateTimeFormat>();

/** Formats local time as if it were UTC: the answer has already converted it to its zone. */
function written(time: number, options: Intl.DateTimeFormatOptions): string {
  const key = JSON.stringify(options);
  const made = writers.get(key) ?? new Intl.DateTimeFormat(undefined, { ...options, timeZone: 'UTC' });
  writers.set(key, made);
  return made.format(time);
}
