/** The cells of a retention that hold a metric, from the sums of its values in each period. */
import { SECOND_MS } from '../../base/day.ts';
import { isSeconds } from '../plan/fields.ts';
import type { RetentionPlan } from '../plan/plan.ts';
import type { Cell } from '../plan/table.ts';
import { roundComputed } from '../plan/value.ts';

/** What one cohort's events add up to in one period. */
export interface PeriodSum {
  /** Of the numbers; of seconds in milliseconds. */
  readonly sum: number;
  /** What the additions rounded off. */
  readonly error: number;
  /** How many numbers there are; for `count`, events. */
  readonly count: number;
}

const NOTHING: PeriodSum = { sum: 0, error: 0, count: 0 };

/** @param sums By period, at least those of the cohort that the range reaches and that have a column. */
export function cohortCells({ metrics: [metric], cumulative }: RetentionPlan, sums: readonly PeriodSum[]): Cell[] {
  if (metric === undefined) throw new Error('a retention without a metric');
  const unit = metric.kind !== 'count' && isSeconds(metric.field) ? SECOND_MS : 1;
  let before = NOTHING;
  return sums.map((own) => {
    const total = cumulative ? (before = plus(before, own)) : own;
    if (metric.kind === 'count') return total.count;
    if (total.count === 0) return null;
    const value = roundComputed((total.sum + total.error) / (metric.kind === 'avg' ? unit * total.count : unit));
    return Number.isNaN(value) ? null : value;
  });
}

/** What the addition rounds off is kept beside it (Neumaier). */
function plus(a: PeriodSum, b: PeriodSum): PeriodSum {
  const sum = a.sum + b.sum;
  const share = sum - a.sum;
  return { sum, error: a.error + b.error + (a.sum - (sum - share)) + (b.sum - share), count: a.count + b.count };
}
