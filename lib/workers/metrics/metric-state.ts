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
  /** The results of these slots, in arrays of their own or of this state, which takes no more rows. */
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

/** @param p Of a percentile, 1 to 99. @param only As of GroupValues. */
type ValueOf = (unit: number, p: number, only: Uint32Array | null) => MetricValues;

/** By group: numbers, NaN where there is none, or texts. */
export type MetricValues = Float64Array | readonly (string | null)[];

/**
 * The values of some groups, in their order; null: of all. Most metrics have more groups than a page shows, and only the first
 * decides which.
 */
export type GroupValues = (only: Uint32Array | null) => MetricValues;

/** A number for each of some groups. @param count How many groups there are. */
export function numbersOfGroups(
  only: Uint32Array | null,
  count: number,
  numberOf: (group: number) => number,
): Float64Array {
  const numbers = new Float64Array(only?.length ?? count);
  for (let at = 0; at < numbers.length; at++) numbers[at] = numberOf(only === null ? at : only[at]!);
  return numbers;
}

/** Numbers that are known of all groups. */
export const valueOfNumbers =
  (values: Float64Array): ValueOf =>
  (unit, _p, only) =>
    unit === 1 && only === null ? values : numbersOfGroups(only, values.length, (group) => values[group]! / unit);

/** The same, as they are printed. */
export const knownValues =
  (values: Float64Array): GroupValues =>
  (only) =>
    valueOfNumbers(values)(1, NaN, only);
