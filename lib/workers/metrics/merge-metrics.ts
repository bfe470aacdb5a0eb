/** Merges the partials of metrics and computes their values. */
import { SECOND_MS } from '../../base/day.ts';
import { isComputed, isSeconds } from '../../dsl/plan/fields.ts';
import { METRIC_TRAITS } from '../../dsl/plan/metrics.ts';
import type { Metric } from '../../dsl/plan/plan.ts';
import { roundComputed } from '../../dsl/plan/value.ts';
import { mergeGroups, type MergedGroups, type MergeLimits } from './merge-groups.ts';
import type { GroupsPartial, MetricPartial } from './metric-partial.ts';
import {
  STATE_OF,
  valueOfNumbers,
  type GroupValues,
  type Merging,
  type MetricState,
  type MetricValues,
  type StatePartial,
  type StateKind,
  type ValuesOf,
} from './metric-state.ts';
import { perPartial, placed } from './per.ts';
import { sourcesOf, STATES, type FieldState, type MetricSource, type PerSource } from './registry.ts';

/** The values of each source's state. */
export type StateValues = Partial<ValuesOf<StateKind>>;

export interface MergedMetrics {
  readonly groups: MergedGroups;
  /** By metric. */
  readonly values: readonly GroupValues[];
}

export function mergeMetrics(
  parts: readonly GroupsPartial[],
  columns: number,
  metrics: readonly Metric[],
  limits: MergeLimits,
): MergedMetrics {
  const splits = sourcesOf(metrics).sources.flatMap((source, at) => (source.kind === 'per' ? splitsOf(parts, at) : []));
  const groups = mergeGroups([...parts, ...splits], columns, limits);
  return { groups, values: mergeValues(parts, metrics, { groups, limits }) };
}

/**
 * The metrics of parts whose groups are merged already. A group that no part has is one of no rows.
 * @param into Its places are those of the parts, and then of their splits, source by source.
 */
export function mergeValues(
  parts: readonly GroupsPartial[],
  metrics: readonly Metric[],
  into: Merging,
): readonly GroupValues[] {
  let next = parts.length;
  const own = { ...into, groups: { ...into.groups, places: into.groups.places.slice(0, next) } };
  return valuesByMetric(metrics, (source, at) => {
    if (source.kind === 'per') {
      const places = into.groups.places.slice(next, (next += parts.length));
      return mergePer(splitsOf(parts, at), source, { ...into, groups: { ...into.groups, places } });
    }
    const found = parts.map((part) => part.metrics[at]!);
    const values: StateValues =
      source.kind === 'count'
        ? { count: valueOfNumbers(mergeCounts(onlyState('count', found), own)) }
        : mergeState(source.kind, found, own);
    return (metric) => (only) => valuesOf(values, metric, only);
  });
}

type ValuesOfMetric = (metric: Metric) => GroupValues;

/** The values of metrics, as they are printed. @param merge Merges a source, which may be of several metrics. */
function valuesByMetric(
  metrics: readonly Metric[],
  merge: (source: MetricSource, at: number) => ValuesOfMetric,
): readonly GroupValues[] {
  const { sources, of } = sourcesOf(metrics);
  const merged = sources.map(merge);
  return metrics.map((metric, at) => {
    const values = merged[of[at]!]!(metric);
    return (only) => shownValues(metric, values(only));
  });
}

/** What each part found of a source by one more field. */
function splitsOf(parts: readonly GroupsPartial[], source: number): GroupsPartial[] {
  return parts.flatMap(({ metrics }) => {
    const found = metrics[source];
    return found?.kind === 'per' ? [found.groups] : [];
  });
}

/** @param into Its places say which group each group of the splits is of. */
function mergePer(
  splits: readonly GroupsPartial[],
  { metrics }: PerSource,
  { groups, limits }: Merging,
): ValuesOfMetric {
  const last = (splits[0]?.keys.length ?? 1) - 1;
  // A group of a split has merged values, the group that it is of, and both again for what becomes of them.
  limits.budget.take(64 * splits.reduce((sum, split) => sum + split.groups, 0));
  const inner = mergeMetrics(splits, last + 1, metrics, { ...limits, maxGroups: Infinity });
  const places = limits.memory.words(inner.groups.count);
  for (const [at, own] of inner.groups.places.entries()) {
    for (let group = 0; group < own.length; group++) places[own[group]!] = groups.places[at]![group]!;
  }
  const isPresent = (group: number): boolean => inner.groups.id(last, group) !== 0;
  return (metric) => {
    if (metric.kind !== 'per') throw new Error(`${metric.kind} is of rows, not of metrics`);
    const values = numbersOf(inner.values[metrics.indexOf(metric.of)]!(null));
    const { partial, places: own } = perPartial(metric.aggregate, placed(values, places, isPresent), groups.count);
    const into = { groups: { ...groups, places: [own] }, limits };
    const merged: StateValues = mergeState(STATE_OF[metric.aggregate], [partial], into);
    return (only) => merged[metric.aggregate]!(1, metric.p ?? NaN, only);
  };
}

/** @param only As of GroupValues. */
export function valuesOf(merged: StateValues, metric: Metric, only: Uint32Array | null): MetricValues {
  const valueOf = metric.kind === 'per' ? undefined : merged[metric.kind];
  if (valueOf === undefined) throw new Error(`no value of ${metric.kind} in the state that it uses`);
  return valueOf(unitOf(metric), metric.kind === 'percentile' ? metric.p : NaN, only);
}

/**
 * As they are printed, where rows are ordered and as operands too. No answer can hold an infinite number, so it is none. What was
 * computed is rounded; counts are whole, and least and greatest values are stored ones.
 */
export function shownValues(metric: Metric, values: MetricValues): MetricValues {
  if (!(values instanceof Float64Array) || metric.kind === 'count') return values;
  return values.map(isComputed(metric) ? roundComputed : finiteOrNone);
}

const finiteOrNone = (value: number): number => (Number.isFinite(value) ? value : NaN);

export function numbersOf(values: MetricValues): Float64Array {
  if (values instanceof Float64Array) return values;
  throw new Error('a metric of texts where numbers are needed');
}

function mergeState<Kind extends FieldState>(
  kind: Kind,
  parts: readonly MetricPartial[],
  into: Merging,
): ValuesOf<Kind> {
  const state: MetricState<Kind> = STATES[kind];
  return state.merge(onlyState(kind, parts), into);
}

export function onlyState<Kind extends StateKind>(kind: Kind, parts: readonly MetricPartial[]): StatePartial<Kind>[] {
  const isKind = (part: MetricPartial): part is StatePartial<Kind> => part.kind === kind;
  const found = parts.filter(isKind);
  if (found.length !== parts.length) throw new Error(`a part answered with other metrics than ${kind}`);
  return found;
}

export function mergeCounts(
  parts: readonly StatePartial<'count'>[],
  { groups, limits: { memory } }: Merging,
): Float64Array {
  const merged = memory.floats(groups.count).fill(0);
  for (const [at, { counts }] of parts.entries()) {
    const places = groups.places[at]!;
    for (let group = 0; group < counts.length; group++) merged[places[group]!]! += counts[group]!;
  }
  return merged;
}

/** The final divisor of a metric: seconds are gathered in milliseconds. */
function unitOf(metric: Metric): number {
  if (metric.kind === 'count' || metric.kind === 'per' || METRIC_TRAITS[metric.kind].value === 'count') return 1;
  return isSeconds(metric.field) ? SECOND_MS : 1;
}
