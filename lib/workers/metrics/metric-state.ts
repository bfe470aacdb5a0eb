/** What is gathered from rows for metrics of a field, and how it becomes values. Metrics with the same state share it. */
import type { Field, Metric } from '../../dsl/plan/plan.ts';
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
  accumulate(field: Field, around: Gathering): Accumulator;
  /** Merges what the parts found. */
  merge(parts: readonly PartialOf<Kind>[], into: Merging): ValuesOf;
}

export type StateKind = MetricPartial['kind'];

export type PartialOf<Kind extends StateKind> = MetricPartial & { readonly kind: Kind };

export interface Gathering {
  readonly slots: Slots;
  readonly context: RowContext;
  /** Whether another part may have rows in a bucket. */
  readonly shared: (bucket: number) => boolean;
}

export interface Merging {
  readonly groups: MergedGroups;
  readonly limits: MergeLimits;
}

/** The values of a metric with this state. Numbers are in units of `unit`: seconds are gathered in milliseconds. */
export type ValuesOf = (metric: Metric, unit: number) => MetricValues;

/** By group: numbers, NaN where there is none, or texts. */
export type MetricValues = Float64Array | readonly (string | null)[];

/** For a state that is itself the value. */
export const numbersAsTheyAre =
  (values: Float64Array): ValuesOf =>
  (_metric, unit) =>
    unit === 1 ? values : values.map((value) => value / unit);
