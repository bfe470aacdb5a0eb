/** Which state each metric of a field uses, the states, and what is gathered from rows for a list of metrics. */
import { fieldKey } from '../../dsl/plan/fields.ts';
import type { Field, Metric } from '../../dsl/plan/plan.ts';
import { maxState, minState } from './extreme.ts';
import type { MetricState, StateKind } from './metric-state.ts';
import { modeState } from './mode.ts';
import { momentsState } from './moments.ts';
import { numbersState } from './numbers.ts';
import { sumState } from './sum.ts';
import { uniqueState } from './unique/unique.ts';

/** A count needs none: rows of groups are counted anyway. */
export type FieldState = Exclude<StateKind, 'count'>;

const STATE_OF: Readonly<Record<Exclude<Metric['kind'], 'count'>, FieldState>> = {
  unique: 'unique',
  sum: 'sum',
  avg: 'sum',
  min: 'min',
  max: 'max',
  percentile: 'numbers',
  stddev: 'moments',
  mode: 'mode',
};

export const STATES: { readonly [Kind in FieldState]: MetricState<Kind> } = {
  unique: uniqueState,
  sum: sumState,
  min: minState,
  max: maxState,
  numbers: numbersState,
  moments: momentsState,
  mode: modeState,
};

/** The first of every list counts rows, which tells which groups have any. */
type MetricSource = { readonly kind: 'count' } | { readonly kind: FieldState; readonly field: Field };

interface MetricSources {
  readonly sources: readonly MetricSource[];
  /** The source of each metric. */
  readonly of: readonly number[];
}

/** The same for the same metrics, in every thread. */
export function sourcesOf(metrics: readonly Metric[]): MetricSources {
  const sources: MetricSource[] = [{ kind: 'count' }];
  const names = ['count'];
  const of = metrics.map((metric) => {
    if (metric.kind === 'count') return 0;
    const source = { kind: STATE_OF[metric.kind], field: metric.field };
    const name = `${source.kind} ${fieldKey(source.field)}`;
    const known = names.indexOf(name);
    if (known >= 0) return known;
    names.push(name);
    return sources.push(source) - 1;
  });
  return { sources, of };
}
