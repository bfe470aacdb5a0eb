/** The partials of metrics, joined and brought to their values. */
import { isSeconds, SECOND_MS } from '../../dsl/fields.ts';
import type { Metric } from '../../dsl/plan.ts';
import { unreachable } from '../../unreachable.ts';
import type { GroupsPartial } from '../groups/aggregation.ts';
import { sourcesOf, type MetricSource } from './accumulators.ts';
import { mergeGroups, type MergedGroups, type MergeLimits } from './merge-groups.ts';
import { mergeModes } from './merge-mode.ts';
import { mergeDeviations } from './merge-moments.ts';
import { mergeUnique } from './merge-unique.ts';
import type { MetricPartial } from './metric-partial.ts';
import { percentile } from './percentile.ts';

export interface MergedMetrics {
  readonly groups: MergedGroups;
  /** By metric. */
  readonly values: readonly MetricValues[];
}

/** By group: numbers, NaN where there is none, or texts. */
export type MetricValues = Float64Array | readonly (string | null)[];

export function mergeMetrics(
  parts: readonly GroupsPartial[],
  columns: number,
  metrics: readonly Metric[],
  limits: MergeLimits,
): MergedMetrics {
  const groups = mergeGroups(parts, columns, limits);
  const { sources, of } = sourcesOf(metrics);
  const merged = sources.map((source, at) =>
    mergeSource(source, { parts: parts.map((part) => part.metrics[at]!), groups, limits }),
  );
  return { groups, values: metrics.map((metric, at) => valuesOf(metric, merged[of[at]!]!)) };
}

/** What metrics of one source are made of. */
type Merged =
  | { readonly kind: 'values'; readonly values: Float64Array }
  | { readonly kind: 'sum'; readonly sums: Float64Array; readonly counts: Float64Array }
  | { readonly kind: 'texts'; readonly texts: readonly (string | null)[] }
  | { readonly kind: 'numbers'; readonly runs: NumberRuns };

interface Parts {
  readonly parts: readonly MetricPartial[];
  readonly groups: MergedGroups;
  readonly limits: MergeLimits;
}

/** The numbers of a metric that has numbers. */
export function numbersOf(values: MetricValues): Float64Array {
  if (values instanceof Float64Array) return values;
  throw new Error('a metric of texts where numbers are needed');
}

function mergeSource(source: MetricSource, from: Parts): Merged {
  const { places, count } = from.groups;
  switch (source.kind) {
    case 'count':
      return { kind: 'values', values: mergeCounts(only('count', from.parts), from.groups) };
    case 'unique':
      return { kind: 'values', values: mergeUnique(only('unique', from.parts), places, count, from.limits) };
    case 'sum':
      return mergeSums(only('sum', from.parts), from.groups);
    case 'min':
    case 'max':
      return { kind: 'values', values: mergeExtremes(source.kind, only('extreme', from.parts), from.groups) };
    case 'numbers':
      return mergeNumbers(only('numbers', from.parts), from.groups);
    case 'moments':
      return { kind: 'values', values: mergeDeviations(only('moments', from.parts), from.groups) };
    case 'mode':
      return { kind: 'texts', texts: mergeModes(only('mode', from.parts), from.groups, from.limits.budget) };
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

/** Where the numbers of each merged group are: they stay in the parts, since they may be many. */
interface NumberRuns {
  readonly parts: readonly NumbersPartial[];
  /** The runs of group g are those up to ends[g] - 1, from where those of the one before end. */
  readonly ends: Uint32Array;
  /** By run: its part and its group there. */
  readonly part: Uint32Array;
  readonly group: Uint32Array;
}

type NumbersPartial = MetricPartial & { kind: 'numbers' };

function mergeNumbers(parts: readonly NumbersPartial[], groups: MergedGroups): Merged {
  const ends = new Uint32Array(groups.count);
  for (const places of groups.places) for (const place of places) ends[place]!++;
  for (let place = 1; place < ends.length; place++) ends[place]! += ends[place - 1]!;
  const count = ends.at(-1) ?? 0;
  const runs = { parts, ends, part: new Uint32Array(count), group: new Uint32Array(count) };
  const next = ends.slice();
  for (const [part, places] of groups.places.entries()) {
    for (let group = 0; group < places.length; group++) {
      const at = --next[places[group]!]!;
      runs.part[at] = part;
      runs.group[at] = group;
    }
  }
  return { kind: 'numbers', runs };
}

function runsOf({ parts, ends, part, group }: NumberRuns, place: number): Float64Array[] {
  const runs: Float64Array[] = [];
  for (let at = place === 0 ? 0 : ends[place - 1]!; at < ends[place]!; at++) {
    const own = parts[part[at]!]!;
    const run = own.values.subarray(group[at] === 0 ? 0 : own.ends[group[at]! - 1]!, own.ends[group[at]!]!);
    if (run.length > 0) runs.push(run);
  }
  return runs;
}

function valuesOf(metric: Metric, merged: Merged): MetricValues {
  const unit = unitOf(metric);
  switch (merged.kind) {
    case 'values':
      return unit === 1 ? merged.values : merged.values.map((value) => value / unit);
    case 'texts':
      return merged.texts;
    case 'sum':
      return merged.sums.map((sum, group) => {
        const count = merged.counts[group]!;
        if (count === 0) return NaN;
        return sum / (metric.kind === 'avg' ? count * unit : unit);
      });
    case 'numbers':
      return Float64Array.from(merged.runs.ends, (_, place) => {
        const runs = runsOf(merged.runs, place);
        return runs.length === 0 || metric.kind !== 'percentile' ? NaN : percentile(runs, metric.p) / unit;
      });
    default:
      return unreachable(merged);
  }
}

/** What a metric is divided by in the end: seconds are gathered in milliseconds. */
function unitOf(metric: Metric): number {
  if (metric.kind === 'count' || metric.kind === 'unique') return 1;
  return isSeconds(metric.field) ? SECOND_MS : 1;
}
