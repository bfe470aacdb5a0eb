/** Metrics over rows, one value at a time. */
import type { Field, Metric, PerMetric, RowMetric } from '../../lib/dsl/plan/plan.ts';
import type { TableColumn } from '../../lib/dsl/plan/table.ts';
import { unreachable } from '../../lib/base/unreachable.ts';
import { holds, type Reader } from './condition.ts';
import { column } from './table.ts';
import { compareText, groupText, numberOf, type Value } from './value.ts';

export function metricColumn(metric: Metric): TableColumn {
  if (metric.kind === 'per') {
    const { type } = metricColumn(metric.of);
    const keeps = type !== 'time' || metric.aggregate === 'min' || metric.aggregate === 'max';
    return column(metric.column, keeps ? type : 'number', 'metric');
  }
  if (metric.kind === 'mode') return column(metric.column, 'string', 'metric');
  const ofTime = (metric.kind === 'min' || metric.kind === 'max') && isTimeField(metric.field);
  const ofSeconds = metric.kind !== 'count' && metric.kind !== 'unique' && isDuration(metric.field);
  return column(metric.column, ofTime ? 'time' : ofSeconds ? 'seconds' : 'number', 'metric');
}

/** Seconds: whole milliseconds divided by 1000. */
function isDuration(field: Field): boolean {
  if (field.kind === 'latest') return field.seconds === true;
  return (field.kind === 'session' || field.kind === 'last_session') && field.name === 'duration';
}

export function isTimeField(field: Field): boolean {
  switch (field.kind) {
    case 'core':
      return field.name === 'time';
    case 'account':
      return field.name === 'first_seen' || field.name === 'last_seen';
    case 'session':
    case 'last_session':
      return field.name === 'start_time' || field.name === 'end_time';
    case 'latest':
      return field.name === 'set_at';
    case 'event':
    case 'sent':
    case 'enriched':
    case 'profile':
    case 'arithmetic':
    case 'did':
    case 'cohort':
      return false;
    default:
      return unreachable(field);
  }
}

export function measure(metric: Metric, rows: readonly Reader[]): number | string | null {
  if (metric.kind === 'per') return measurePer(metric, rows);
  return metric.kind === 'mode'
    ? mode(meeting(metric, rows).map((read) => read(metric.field)))
    : measureNumber(metric, rows);
}

/** The rows that a metric is over. */
function meeting({ where }: RowMetric, rows: readonly Reader[]): Reader[] {
  return rows.filter((read) => holds(where ?? null, read));
}

/** The metric of each value of a field, then what becomes of these; a value that no row has is none. */
function measurePer({ aggregate, p, of, field }: PerMetric, rows: readonly Reader[]): number | null {
  if (of.kind === 'mode') throw new Error('the values of a metric are numbers here');
  const piles = new Map<string, Reader[]>();
  for (const read of rows) {
    const text = groupText(read(field));
    if (text !== null) piles.set(text, [...(piles.get(text) ?? []), read]);
  }
  const values = [...piles.values()].map((pile) => measureNumber(of, pile)).filter((value) => value !== null);
  if (values.length === 0) return null;
  const base = { field, column: '' };
  const outer = aggregate === 'percentile' ? { kind: aggregate, p: p ?? NaN, ...base } : { kind: aggregate, ...base };
  return printed(measureNumbers(outer, values));
}

type NumberMetric = Exclude<RowMetric, { readonly kind: 'mode' }>;

/** A metric that an expression can calculate with. */
export function measureNumber(metric: NumberMetric, all: readonly Reader[]): number | null {
  const rows = meeting(metric, all);
  if (metric.kind === 'count') return rows.length;
  const values = rows.map((read) => read(metric.field));
  if (metric.kind === 'unique') return countTexts(values);
  const numbers = values.map(numberOf).filter((number) => number !== null);
  if (numbers.length === 0) return null;
  if (!isDuration(metric.field)) return finite(measureNumbers(metric, numbers));
  const milliseconds = numbers.map((seconds) => Math.round(seconds * 1000));
  if (metric.kind === 'avg') return printed(exactQuotient(milliseconds, 1000 * milliseconds.length));
  const measured = measureNumbers(metric, milliseconds);
  return measured === null ? null : printed(measured / 1000);
}

/** Whole numbers exactly, others to 15 digits. */
export function printed(number: number | null): number | null {
  return number === null || Number.isInteger(number) ? number : finite(Number(number.toPrecision(15)));
}

/** No answer can hold an infinite number, and -0, as of the least float by -2, is 0. */
const finite = (number: number | null): number | null =>
  number !== null && Number.isFinite(number) ? number + 0 : null;

function measureNumbers(
  metric: Exclude<NumberMetric, { readonly kind: 'count' | 'unique' }>,
  numbers: readonly number[],
): number | null {
  switch (metric.kind) {
    case 'sum':
      return printed(exactQuotient(numbers, 1));
    case 'avg':
      return printed(exactQuotient(numbers, numbers.length));
    case 'min':
    case 'max': {
      const most = numbers.reduce((a, b) => (metric.kind === 'min' ? Math.min(a, b) : Math.max(a, b)));
      return metric.field.kind === 'arithmetic' ? printed(most) : most;
    }
    case 'percentile':
      return printed(percentile(numbers, metric.p));
    case 'stddev':
      return printed(deviation(numbers));
    default:
      return unreachable(metric);
  }
}

/** The number of different texts; "" is one, missing is none. */
export function countTexts(values: readonly Value[]): number {
  return new Set(values.map(groupText).filter((text) => text !== null)).size;
}

/** The most frequent text; of several the first by code point. */
export function mode(values: readonly Value[]): string | null {
  const counts = new Map<string, number>();
  for (const text of values.map(groupText)) if (text !== null) counts.set(text, (counts.get(text) ?? 0) + 1);
  const [most] = [...counts].sort(([a, n], [b, m]) => m - n || compareText(a, b));
  return most?.[0] ?? null;
}

/** Of the sample: the root of (n Σx² - (Σx)²) / (n (n - 1)), in integers of arbitrary size. */
export function deviation(numbers: readonly number[]): number | null {
  if (numbers.length < 2 || !numbers.every(Number.isFinite)) return null;
  const whole = numbers.map(inLeastUnits);
  const n = BigInt(whole.length);
  const sum = whole.reduce((total, one) => total + one, 0n);
  const squares = whole.reduce((total, one) => total + one * one, 0n);
  const root = rootOf(((n * squares - sum * sum) << DIGITS) / (n * (n - 1n)));
  return finite(fromLeastUnits(root, Number(DIGITS / 2n)));
}

/** Binary digits of the square after the point. */
const DIGITS = 256n;
/** The least positive float is 2 ** -1074. */
const LEAST = 1074;

function inLeastUnits(number: number): bigint {
  let [rest, power] = [number, LEAST];
  while (power > 0 && !Number.isInteger(rest)) [rest, power] = [rest * 2, power - 1];
  return BigInt(rest) << BigInt(power);
}

/** @param below Binary digits below the least unit. */
function fromLeastUnits(value: bigint, below: number): number {
  const extra = Math.max(0, value.toString(2).length - 64);
  const [half, power] = [Number(value >> BigInt(extra)), extra - below - LEAST];
  return half * 2 ** Math.trunc(power / 2) * 2 ** (power - Math.trunc(power / 2));
}

/** The integer root, by Newton's method from above. */
function rootOf(square: bigint): bigint {
  if (square === 0n) return 0n;
  let root = 1n << BigInt(Math.ceil(square.toString(2).length / 2));
  for (;;) {
    const next = (root + square / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
}

/** The sum over a divisor, rounded; null where the sum is beyond the range of floats. */
export function exactQuotient(numbers: readonly number[], divisor: number): number | null {
  if (!numbers.every(Number.isFinite)) return null;
  const sum = numbers.reduce((total, number) => total + inLeastUnits(number), 0n);
  return finite(nearest(sum, LEAST) / divisor);
}

/** The float nearest to units / 2 ** below. */
function nearest(units: bigint, below: number): number {
  const size = units < 0n ? -units : units;
  const cut = Math.max(0, size.toString(2).length - 53);
  const [kept, rest] = [size >> BigInt(cut), size & ((1n << BigInt(cut)) - 1n)];
  const half = cut === 0 ? 0n : 1n << BigInt(cut - 1);
  const isUp = cut > 0 && (rest > half || (rest === half && kept % 2n === 1n));
  // In two steps, since 2 ** -LEAST times a large number is a float and 2 ** (cut - below) need not be.
  const [digits, power] = [Number(kept + (isUp ? 1n : 0n)), cut - below];
  return (units < 0n ? -1 : 1) * digits * 2 ** Math.trunc(power / 2) * 2 ** (power - Math.trunc(power / 2));
}

/** Linear between the closest ranks, as numpy does by default. */
export function percentile(numbers: readonly number[], p: number): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  const rank = ((sorted.length - 1) * p) / 100;
  const below = sorted[Math.floor(rank)] ?? 0;
  const above = sorted[Math.ceil(rank)] ?? 0;
  const share = rank - Math.floor(rank);
  if (!Number.isFinite(above - below)) return below * (1 - share) + above * share;
  return share < 0.5 ? below + (above - below) * share : above - (above - below) * (1 - share);
}
