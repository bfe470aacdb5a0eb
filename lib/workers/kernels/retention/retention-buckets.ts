/** The buckets of a retention: those of its range, and one before them for starts that are too early. */
import { zoneOf } from '../../../dsl/plan/columns.ts';
import type { RetentionPlan } from '../../../dsl/plan/plan.ts';
import { bucketsOf } from '../../../dsl/time/buckets.ts';

export interface CohortBuckets {
  /** First instants. */
  readonly starts: Float64Array;
  /** How many lie before the range: whose cohort is one of these is in none. */
  readonly before: 0 | 1;
  /** Of those in the range, as printed. */
  readonly labels: readonly string[];
}

/** Where only the first event of all counts, the first bucket of the range begins with it. */
export function cohortBuckets({ first, range, unit, ...plan }: RetentionPlan): CohortBuckets {
  const { starts, labels } = bucketsOf(range, unit, zoneOf(plan));
  if (!first) return { starts, labels, before: 0 };
  const own = labels.length === 0 ? [] : [range.from, ...starts.subarray(1)];
  return { starts: Float64Array.from([-Infinity, ...own]), labels, before: 1 };
}
