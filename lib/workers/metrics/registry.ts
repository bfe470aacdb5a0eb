/** Which state each metric of a field uses, and the states. */
import type { Metric } from '../../dsl/plan/plan.ts';
import { maxState, minState } from './extreme.ts';
import type { MetricState, StateKind } from './metric-state.ts';
import { modeState } from './mode.ts';
import { momentsState } from './moments.ts';
import { numbersState } from './numbers.ts';
import { sumState } from './sum.ts';
import { uniqueState } from './unique/unique.ts';

/** A count needs none: rows of groups are counted anyway. */
export type FieldState = Exclude<StateKind, 'count'>;

export const STATE_OF: Readonly<Record<Exclude<Metric['kind'], 'count'>, FieldState>> = {
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
