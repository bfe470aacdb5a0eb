/** What is gathered from rows for a list of metrics. */
import { fieldKey } from '../../dsl/plan/fields.ts';
import type { Field, Metric } from '../../dsl/plan/plan.ts';
import { STATE_OF, type FieldState } from './registry.ts';

/** The first of every list counts rows, which tells which groups have any. */
export type MetricSource = { readonly kind: 'count' } | { readonly kind: FieldState; readonly field: Field };

export interface MetricSources {
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
