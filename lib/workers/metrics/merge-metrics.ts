/** Merges the partials of metrics and computes their values. */
import { isSeconds, SECOND_MS } from '../../dsl/plan/fields.ts';
import { METRIC_TRAITS } from '../../dsl/plan/metrics.ts';
import type { Metric } from '../../dsl/plan/plan.ts';
import { mergeGroups, type MergedGroups, type MergeLimits } from './merge-groups.ts';
import type { GroupsPartial, MetricPartial } from './metric-partial.ts';
import {
  numbersAsTheyAre,
  type Merging,
  type MetricState,
  type MetricValues,
  type PartialOf,
  type StateKind,
  type ValuesOf,
} from './metric-state.ts';
import { sourcesOf, STATES, type FieldState } from './registry.ts';

export interface MergedMetrics {
  readonly groups: MergedGroups;
  /** By metric. */
  readonly values: readonly MetricValues[];
}

export function mergeMetrics(
  parts: readonly GroupsPartial[],
  columns: number,
  metrics: readonly Metric[],
  limits: MergeLimits,
): MergedMetrics {
  const groups = mergeGroups(parts, columns, limits);
  const { sources, of } = sourcesOf(metrics);
  const merged = sources.map(({ kind }, at) => {
    const found = parts.map((part) => part.metrics[at]!);
    return kind === 'count' ? mergeCounts(only(kind, found), groups) : mergeState(kind, found, { groups, limits });
  });
  return { groups, values: metrics.map((metric, at) => finite(merged[of[at]!]!(metric, unitOf(metric)))) };
}

/** No answer can hold an infinite number, so it is none: where rows are ordered, and as an operand, too. */
function finite(values: MetricValues): MetricValues {
  if (!(values instanceof Float64Array) || values.every((value) => Math.abs(value) !== Infinity)) return values;
  return values.map((value) => (Number.isFinite(value) ? value : NaN));
}

export function numbersOf(values: MetricValues): Float64Array {
  if (values instanceof Float64Array) return values;
  throw new Error('a metric of texts where numbers are needed');
}

function mergeState<Kind extends FieldState>(kind: Kind, parts: readonly MetricPartial[], into: Merging): ValuesOf {
  const state: MetricState<Kind> = STATES[kind];
  return state.merge(only(kind, parts), into);
}

function only<Kind extends StateKind>(kind: Kind, parts: readonly MetricPartial[]): PartialOf<Kind>[] {
  const isKind = (part: MetricPartial): part is PartialOf<Kind> => part.kind === kind;
  const found = parts.filter(isKind);
  if (found.length !== parts.length) throw new Error(`a part answered with other metrics than ${kind}`);
  return found;
}

function mergeCounts(parts: readonly PartialOf<'count'>[], groups: MergedGroups): ValuesOf {
  const merged = new Float64Array(groups.count);
  for (const [at, { counts }] of parts.entries()) {
    const places = groups.places[at]!;
    for (let group = 0; group < counts.length; group++) merged[places[group]!]! += counts[group]!;
  }
  return numbersAsTheyAre(merged);
}

/** The final divisor of a metric: seconds are gathered in milliseconds. */
function unitOf(metric: Metric): number {
  if (metric.kind === 'count' || METRIC_TRAITS[metric.kind].value === 'count') return 1;
  return isSeconds(metric.field) ? SECOND_MS : 1;
}
