/** The partials of metrics, joined and brought to their values. */
import type { Metric } from '../../dsl/plan.ts';
import { unreachable } from '../../unreachable.ts';
import type { Budget } from '../budget.ts';
import type { GroupsPartial } from '../groups/aggregation.ts';
import { sourcesOf, type Source } from './accumulators.ts';
import { mergeGroups, type MergedGroups } from './merge-groups.ts';
import { mergeUnique } from './merge-unique.ts';
import type { MetricPartial } from './metric-partial.ts';
import { percentile } from './percentile.ts';

export interface MergedMetrics {
  readonly groups: MergedGroups;
  /** By metric: the value of each group; NaN where there is none. */
  readonly values: readonly Float64Array[];
}

export interface MergeLimits {
  readonly budget: Budget;
  readonly maxGroups: number;
}

export function mergeMetrics(
  parts: readonly GroupsPartial[],
  columns: number,
  metrics: readonly Metric[],
  limits: MergeLimits,
): MergedMetrics {
  const groups = mergeGroups(parts, columns, limits);
  const { sources, of } = sourcesOf(metrics);
  const merged = sources.map((source, at) =>
    mergeSource(source, { parts: parts.map((part) => part.metrics[at]!), groups, budget: limits.budget }),
  );
  return { groups, values: metrics.map((metric, at) => valuesOf(metric, merged[of[at]!]!)) };
}

/** What metrics of one source are made of. */
type Merged =
  | { readonly kind: 'values'; readonly values: Float64Array }
  | { readonly kind: 'sum'; readonly sums: Float64Array; readonly counts: Float64Array }
  | { readonly kind: 'numbers'; readonly ends: Float64Array; readonly values: Float64Array };

interface Parts {
  readonly parts: readonly MetricPartial[];
  readonly groups: MergedGroups;
  readonly budget: Budget;
}

function mergeSource(source: Source, from: Parts): Merged {
  const { places, count } = from.groups;
  switch (source.kind) {
    case 'count':
      return { kind: 'values', values: mergeCounts(only('count', from.parts), from.groups) };
    case 'unique':
      return { kind: 'values', values: mergeUnique(only('unique', from.parts), places, count, from.budget) };
    case 'sum':
      return mergeSums(only('sum', from.parts), from.groups);
    case 'min':
    case 'max':
      return { kind: 'values', values: mergeExtremes(source.kind, only('extreme', from.parts), from.groups) };
    case 'numbers':
      return mergeNumbers(only('numbers', from.parts), from.groups);
    default:
      return unreachable(source);
  }
}

function only<K extends MetricPartial['kind']>(
  kind: K,
  parts: readonly MetricPartial[],
): (MetricPartial & { kind: K })[] {
  const isKind = (part: MetricPartial): part is MetricPartial & { kind: K } => part.kind === kind;
  const found = parts.filter(isKind);
  if (found.length !== parts.length) throw new Error(`a part answered with other metrics than ${kind}`);
  return found;
}

function mergeCounts(parts: readonly (MetricPartial & { kind: 'count' })[], groups: MergedGroups): Float64Array {
  const merged = new Float64Array(groups.count);
  for (const [at, { counts }] of parts.entries()) {
    const places = groups.places[at]!;
    for (let group = 0; group < counts.length; group++) merged[places[group]!]! += counts[group]!;
  }
  return merged;
}

function mergeSums(parts: readonly (MetricPartial & { kind: 'sum' })[], groups: MergedGroups): Merged {
  const sums = new Float64Array(groups.count);
  const errors = new Float64Array(groups.count);
  const counts = new Float64Array(groups.count);
  for (const [at, part] of parts.entries()) {
    for (let group = 0; group < part.sums.length; group++) {
      const place = groups.places[at]![group]!;
      const sum = sums[place]!;
      const value = part.sums[group]!;
      const next = sum + value;
      const share = next - sum;
      errors[place]! += sum - (next - share) + (value - share) + part.errors[group]!;
      sums[place] = next;
      counts[place]! += part.counts[group]!;
    }
  }
  // Where a sum overflowed the rounding is NaN: the sum itself is all there is.
  const whole = sums.map((sum, at) => (Number.isFinite(sum + errors[at]!) ? sum + errors[at]! : sum));
  return { kind: 'sum', sums: whole, counts };
}

function mergeExtremes(
  kind: 'min' | 'max',
  parts: readonly (MetricPartial & { kind: 'extreme' })[],
  groups: MergedGroups,
): Float64Array {
  const merged = new Float64Array(groups.count).fill(NaN);
  for (const [at, { values }] of parts.entries()) {
    for (let group = 0; group < values.length; group++) {
      const place = groups.places[at]![group]!;
      const value = values[group]!;
      const best = merged[place]!;
      if (Number.isNaN(best) || (kind === 'max' ? value > best : value < best)) merged[place] = value;
    }
  }
  return merged;
}

function mergeNumbers(parts: readonly (MetricPartial & { kind: 'numbers' })[], groups: MergedGroups): Merged {
  const [first] = parts;
  if (parts.length === 1 && first?.ends.length === groups.count) {
    return { kind: 'numbers', ends: first.ends, values: first.values }; // one part's groups stand in its order
  }
  const ends = new Float64Array(groups.count);
  forRuns(parts, groups, (place, from, to) => (ends[place]! += to - from));
  for (let place = 1; place < ends.length; place++) ends[place]! += ends[place - 1]!;
  const next = ends.slice();
  const values = new Float64Array(ends.at(-1) ?? 0);
  forRuns(parts, groups, (place, from, to, own) => {
    next[place]! -= to - from;
    values.set(own.subarray(from, to), next[place]!);
  });
  return { kind: 'numbers', ends, values };
}

function forRuns(
  parts: readonly (MetricPartial & { kind: 'numbers' })[],
  groups: MergedGroups,
  use: (place: number, from: number, to: number, values: Float64Array) => void,
): void {
  for (const [at, { ends, values }] of parts.entries()) {
    for (let group = 0, from = 0; group < ends.length; from = ends[group++]!) {
      use(groups.places[at]![group]!, from, ends[group]!, values);
    }
  }
}

function valuesOf(metric: Metric, merged: Merged): Float64Array {
  switch (merged.kind) {
    case 'values':
      return merged.values;
    case 'sum':
      return merged.sums.map((sum, group) => {
        const count = merged.counts[group]!;
        if (count === 0) return NaN;
        return metric.kind === 'avg' ? sum / count : sum;
      });
    case 'numbers':
      return merged.ends.map((end, group) => {
        const from = group === 0 ? 0 : merged.ends[group - 1]!;
        if (end === from || metric.kind !== 'percentile') return NaN;
        return percentile(merged.values, from, end, metric.p);
      });
    default:
      return unreachable(merged);
  }
}
