/** Which accumulators a list of metrics needs: metrics that come of the same state share it. */
import { fieldName } from '../../dsl/fields.ts';
import type { Field, Metric } from '../../dsl/plan.ts';
import type { Slots } from '../groups/slots.ts';
import type { RowContext } from '../query-context.ts';
import { unreachable } from '../../unreachable.ts';
import type { Accumulator } from './accumulator.ts';
import { CountAccumulator } from './count.ts';
import { ExtremeAccumulator } from './extreme.ts';
import { ModeAccumulator } from './mode.ts';
import { MomentsAccumulator } from './moments.ts';
import { NumbersAccumulator } from './numbers.ts';
import { SumAccumulator } from './sum.ts';
import { UniqueAccumulator } from './unique.ts';

/** What is gathered of rows. The first of every list counts them, so that it is known which groups have any. */
export type MetricSource =
  | { readonly kind: 'count' }
  | { readonly kind: 'unique' | 'sum' | 'min' | 'max' | 'numbers' | 'moments' | 'mode'; readonly field: Field };

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
    const source = sourceOf(metric);
    const name = source.kind === 'count' ? 'count' : `${source.kind} ${source.field.kind} ${fieldName(source.field)}`;
    const known = names.indexOf(name);
    if (known >= 0) return known;
    names.push(name);
    return sources.push(source) - 1;
  });
  return { sources, of };
}

export function accumulatorOf(
  source: MetricSource,
  slots: Slots,
  context: RowContext,
  shared: (bucket: number) => boolean,
): Accumulator {
  switch (source.kind) {
    case 'count':
      return new CountAccumulator(context);
    case 'unique':
      return new UniqueAccumulator(source.field, slots, context, shared);
    case 'sum':
      return new SumAccumulator(source.field, context);
    case 'min':
    case 'max':
      return new ExtremeAccumulator(source.kind, source.field, context);
    case 'numbers':
      return new NumbersAccumulator(source.field, context.budget);
    case 'moments':
      return new MomentsAccumulator(source.field, context.budget);
    case 'mode':
      return new ModeAccumulator(source.field, slots, context, shared);
    default:
      return unreachable(source);
  }
}

function sourceOf(metric: Metric): MetricSource {
  switch (metric.kind) {
    case 'count':
      return { kind: 'count' };
    case 'unique':
    case 'sum':
    case 'min':
    case 'max':
    case 'mode':
      return { kind: metric.kind, field: metric.field };
    case 'avg':
      return { kind: 'sum', field: metric.field };
    case 'percentile':
      return { kind: 'numbers', field: metric.field };
    case 'stddev':
      return { kind: 'moments', field: metric.field };
    default:
      return unreachable(metric);
  }
}
