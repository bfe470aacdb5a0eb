/** What is gathered from rows for metrics of a field, and how it becomes values. Metrics with the same state share it. */
import type { Field, RowMetric } from '../../dsl/plan/plan.ts';
import type { Scan } from '../groups/scan.ts';
import type { SlotKeeper, Slots } from '../groups/slots.ts';
import type { RowContext } from '../query-context.ts';
import type { MergedGroups, MergeLimits } from './merge-groups.ts';
import type { MetricPartial } from './metric-partial.ts';

/** One metric over all rows of a part, with its state by slot. */
export interface Accumulator {
  /** Those that have a place for every slot. */
  readonly states?: readonly Pick<SlotKeeper, 'resize' | 'remap'>[];
  /** As of a SlotKeeper, for what else it has. */
  remap?: SlotKeeper['remap'];
  /** Adds the rows of a scan. */
  add(scan: Scan, slots: Slots): void;
  /** No row before this bucket will follow. */
  close?(bucket: number): void;
  /** The results of these slots. The partial owns the arrays. */
  partial(slots: Uint32Array): MetricPartial;
}

export interface MetricState<Kind extends StateKind> {
  accumulate(field: Field, around: GatheredState): Accumulator;
  /** Merges what the parts found. */
  merge(parts: readonly StatePartial<Kind>[], into: Merging): ValuesOf<Kind>;
}

/** Of which state each metric is. A state answers each of its metrics by its name, so none can be taken for another. */
export const STATE_OF = {
  count: 'count',
  unique: 'unique',
  sum: 'sum',
  avg: 'sum',
  min: 'min',
  max: 'max',
  percentile: 'numbers',
  stddev: 'moments',
  mode: 'mode',
} as const satisfies Readonly<Record<RowMetric['kind'], StateKind>>;

export type StateKind = Exclude<MetricPartial['kind'], 'per'>;

/** The metrics that have a state. */
export type MetricOf<Kind extends StateKind> = {
  readonly [Name in RowMetric['kind']]: (typeof STATE_OF)[Name] extends Kind ? Name : never;
}[RowMetric['kind']];

export type StatePartial<Kind extends StateKind> = MetricPartial & { readonly kind: Kind };

export interface GatheredState {
  readonly slots: Slots;
  readonly context: RowContext;
  /** Whether another part may have rows in a bucket. */
  readonly shared: (bucket: number) => boolean;
}

export interface Merging {
  readonly groups: MergedGroups;
  readonly limits: MergeLimits;
}

/** The values of each metric with this state. Numbers are divided by `unit`: seconds are gathered in milliseconds. */
export type ValuesOf<Kind extends StateKind> = { readonly [Name in MetricOf<Kind>]: ValueOf };

/** @param p Of a percentile, 1 to 99. */
type ValueOf = (unit: number, p: number) => MetricValues;

/** By group: numbers, NaN where there is none, or texts. */
export type MetricValues = Float64Array | readonly (string | null)[];

/** Values in units of `unit`. */
export const inUnits = (values: Float64Array, unit: number): Float64Array =>
  unit === 1 ? values : values.map((value) => value / unit);
