/** The states of metrics of a field, and what is gathered from rows for a list of metrics. */
import { fieldKey } from '../../dsl/plan/fields.ts';
import type { Condition, Field, Metric, RowMetric } from '../../dsl/plan/plan.ts';
import { maxState, minState } from './extreme.ts';
import { STATE_OF, type MetricState, type StateKind } from './metric-state.ts';
import { modeState } from './mode.ts';
import { momentsState } from './moments.ts';
import { numbersState } from './numbers.ts';
import { sumState } from './sum.ts';
import { uniqueState } from './unique/unique.ts';

/** A count needs none: rows of groups are counted anyway. */
export type FieldState = Exclude<StateKind, 'count'>;

export const STATES: { readonly [Kind in FieldState]: MetricState<Kind> } = {
  unique: uniqueState,
  sum: sumState,
  min: minState,
  max: maxState,
  numbers: numbersState,
  moments: momentsState,
  mode: modeState,
};

/** The first of every list counts all rows, which tells which groups have any. `where`: which rows; null: all. */
export type MetricSource = { readonly where: Condition | null } & (
  { readonly kind: 'count' } | { readonly kind: FieldState; readonly field: Field } | PerSource
);

/** Metrics of the groups split by one more field, of whose values other metrics are. */
export interface PerSource {
  readonly kind: 'per';
  readonly field: Field;
  readonly metrics: RowMetric[];
}

interface MetricSources {
  readonly sources: readonly MetricSource[];
  /** The source of each metric. */
  readonly of: readonly number[];
}

/** The same for the same metrics, in every thread. */
export function sourcesOf(metrics: readonly Metric[]): MetricSources {
  const sources: MetricSource[] = [];
  const names: string[] = [];
  const of = [COUNT, ...metrics].map((metric) => {
    const source = sourceOf(metric);
    const name = JSON.stringify([source.kind, 'field' in source ? fieldKey(source.field) : null, source.where]);
    const known = names.indexOf(name);
    const before = sources[known];
    if (before?.kind === 'per' && metric.kind === 'per') before.metrics.push(metric.of);
    if (known >= 0) return known;
    names.push(name);
    return sources.push(source) - 1;
  });
  return { sources, of: of.slice(1) };
}

const COUNT: Metric = { kind: 'count', column: 'count' };

function sourceOf(metric: Metric): MetricSource {
  if (metric.kind === 'per') return { kind: 'per', field: metric.field, metrics: [metric.of], where: null };
  const { where = null } = metric;
  return metric.kind === 'count'
    ? { kind: 'count', where }
    : { kind: STATE_OF[metric.kind], field: metric.field, where };
}
