/** The time bucket of a row. Its bounds are the service's (lib/dsl/time/buckets.ts): ClickHouse may know other rules of a zone. */
import { bucketsOf } from '../../dsl/time/buckets.ts';
import { zoneOf } from '../../dsl/plan/columns.ts';
import type { TimeRange, TimeUnit } from '../../dsl/time/units.ts';
import { join, sql, whole, type Sql } from './statement.ts';
import { startedBy } from './times.ts';

export interface BucketColumn {
  /** The bucket's number, from 0. */
  readonly index: Sql;
  readonly labels: readonly string[];
  readonly starts: Float64Array;
}

/** @param ms A time in the plan's range. */
export function bucketColumn(
  plan: { readonly range: TimeRange; readonly zone: string },
  unit: TimeUnit,
  ms: Sql,
): BucketColumn {
  const buckets = bucketsOf(plan.range, unit, zoneOf(plan));
  return { ...buckets, index: bucketIndex(runsOf(buckets.starts, plan.range.to), ms) };
}

/** Buckets of one length are counted; where the length changes, a new run of them begins. */
function bucketIndex(runs: readonly Run[], ms: Sql): Sql {
  const [only] = runs;
  if (only === undefined) return whole(0);
  if (runs.length === 1) return runIndex(ms, whole(only.start), whole(only.first), whole(only.length));
  const nth = startedBy(
    ms,
    runs.map(({ start }) => start),
  );
  if (runs.every(({ count }) => count === 1)) return nth;
  const of = (pick: (run: Run) => number): Sql =>
    sql`[${join(
      runs.map((run) => whole(pick(run))),
      ', ',
    )}][${nth} + 1]`;
  return runIndex(
    ms,
    of(({ start }) => start),
    of(({ first }) => first),
    of(({ length }) => length),
  );
}

const runIndex = (ms: Sql, start: Sql, first: Sql, length: Sql): Sql =>
  sql`(${first} + intDiv(${ms} - ${start}, ${length}))`;

/** Buckets of the same length. */
interface Run {
  readonly start: number;
  /** The number of its first bucket. */
  readonly first: number;
  readonly length: number;
  count: number;
}

function runsOf(starts: Float64Array, end: number): Run[] {
  const runs: Run[] = [];
  for (let first = 0; first < starts.length; first++) {
    const start = starts[first]!;
    const before = runs.at(-1);
    const next = starts[first + 1];
    // The last bucket may be cut, but not be taken for two.
    const length = next === undefined ? Math.max(before?.length ?? 1, end - start) : next - start;
    if (before?.length === length) before.count++;
    else runs.push({ start, first, length, count: 1 });
  }
  return runs;
}
