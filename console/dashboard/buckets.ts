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

/** Whether the range cuts the bucket, so that its data is incomplete. */
export function isCut(unit: BucketUnit, bucket: string, { from, to }: Range): boolean {
  if (unit === 'hour') {
    const start = Date.parse(bucket);
    return start < Date.parse(from) || start + HOUR_MS > Date.parse(to);
  }
  return wall(bucket) < from.slice(0, 23) || wall(nextOf(unit, bucket)) > to.slice(0, 23);
}

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

/** A time as the answer prints it, to the minute, in the answer's zone. */
export function momentText(text: string): string {
  const time = Date.parse(`${text.slice(0, 16)}Z`);
  if (Number.isNaN(time)) return text;
  return written(time, { day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit' });
}

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
