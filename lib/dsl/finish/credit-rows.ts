/** The rows of an attribution. */
import { SECOND_MS } from '../../base/day.ts';
import { isSeconds } from '../plan/fields.ts';
import type { AttributionPlan } from '../plan/plan.ts';
import type { Cell } from '../plan/table.ts';
import { roundComputed } from '../plan/value.ts';

/** What the touches with a value have. */
export interface Credit {
  /** null: of conversions without a touch. */
  readonly value: string | null;
  /** Their parts of conversions. */
  readonly conversions: number;
  /** The sum of their parts of numbers, of seconds in milliseconds; null of no number. */
  readonly sum: number | null;
}

/** A row for each value. @param all How many conversions there are. */
export function creditRows({ metrics: [metric] }: AttributionPlan, credits: readonly Credit[], all: number): Cell[][] {
  const unit = metric !== undefined && isSeconds(metric.field) ? SECOND_MS : 1;
  return credits.map(({ value, conversions, sum }) => {
    const row = [value, roundComputed(conversions), conversions / all];
    return metric === undefined ? row : [...row, sum === null ? null : finite(roundComputed(sum / unit))];
  });
}

const finite = (value: number): number | null => (Number.isNaN(value) ? null : value);
