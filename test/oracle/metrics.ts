/** Metrics over rows, one value at a time. */
import type { Field, Metric } from '../../lib/dsl/plan.ts';
import type { TableColumn } from '../../lib/dsl/table.ts';
import { unreachable } from '../../lib/unreachable.ts';
import type { Reader } from './condition.ts';
import { column } from './table.ts';
import { groupText, numberOf, type Value } from './value.ts';

export function metricColumn(metric: Metric): TableColumn {
  const ofTime = (metric.kind === 'min' || metric.kind === 'max') && isTimeField(metric.field);
  return column(metric.column, ofTime ? 'time' : 'number', 'metric');
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
      return false;
    default:
      return unreachable(field);
  }
}

export function measure(metric: Metric, rows: readonly Reader[]): number | null {
  if (metric.kind === 'count') return rows.length;
  const values = rows.map((read) => read(metric.field));
  if (metric.kind === 'unique') return countTexts(values);
  const numbers = values.map(numberOf).filter((number) => number !== null);
  if (numbers.length === 0) return null;
  switch (metric.kind) {
    case 'sum':
      return exactSum(numbers);
    case 'avg':
      return exactSum(numbers) / numbers.length;
    case 'min':
      return numbers.reduce((a, b) => Math.min(a, b));
    case 'max':
      return numbers.reduce((a, b) => Math.max(a, b));
    case 'percentile':
      return percentile(numbers, metric.p);
    default:
      return unreachable(metric);
  }
}

/** How many different texts; "" is one, missing is none. */
export function countTexts(values: readonly Value[]): number {
  return new Set(values.map(groupText).filter((text) => text !== null)).size;
}

/** The sum rounded once: partial sums that do not overlap (Shewchuk). */
export function exactSum(numbers: readonly number[]): number {
  let partials: number[] = [];
  for (const number of numbers) {
    let rest = number;
    const kept: number[] = [];
    for (const partial of partials) {
      const [large, small] = Math.abs(rest) < Math.abs(partial) ? [partial, rest] : [rest, partial];
      const sum = large + small;
      const lost = small - (sum - large);
      if (lost !== 0) kept.push(lost);
      rest = sum;
    }
    partials = [...kept, rest];
  }
  return partials.reduceRight((sum, partial) => sum + partial, 0);
}

/** Linear between the closest ranks, as numpy does by default. */
export function percentile(numbers: readonly number[], p: number): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  const rank = ((sorted.length - 1) * p) / 100;
  const below = sorted[Math.floor(rank)] ?? 0;
  const above = sorted[Math.ceil(rank)] ?? 0;
  return below + (above - below) * (rank - Math.floor(rank));
}
