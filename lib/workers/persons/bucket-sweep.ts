/**
 * Visits rows bucket by bucket although they come segment by segment: segments come by first time and may overlap, so a bucket is
 * complete once a segment begins after it.
 */
import { bucketIndex } from '../../dsl/time/buckets.ts';
import type { Budget } from '../budget.ts';
import { rowsIn } from '../groups/positions.ts';
import type { PersonSpans } from './select-events.ts';

/** The persons of one bucket in one segment, in one span. `of` is whatever the kernel attaches to them. */
export interface Swept<T> extends PersonSpans {
  readonly of: T;
}

export class BucketSweep<T> {
  readonly #starts: Float64Array;
  readonly #budget: Budget;
  readonly #visit: (rows: readonly Swept<T>[]) => void;
  readonly #waiting = new Map<number, Swept<T>[]>();

  /** @param starts First instants of the buckets. @param visit Called once per bucket with rows, in order of buckets. */
  constructor(starts: Float64Array, budget: Budget, visit: (rows: readonly Swept<T>[]) => void) {
    this.#starts = starts;
    this.#budget = budget;
    this.#visit = visit;
  }

  /** Adds rows cut by the sweep's buckets. */
  add({ persons, rows, spans }: PersonSpans, of: T): void {
    for (const span of spans) {
      const swept = { persons, rows, spans: [span], of };
      this.#budget.take(bytesOf(swept));
      const waiting = this.#waiting.get(span.bucket);
      if (waiting === undefined) this.#waiting.set(span.bucket, [swept]);
      else waiting.push(swept);
    }
  }

  /** All later rows are at or after this time: visits the buckets before its own. */
  advance(time: number): void {
    this.#visitBefore(bucketIndex(this.#starts, time));
  }

  /** No more rows come. */
  finish(): void {
    this.#visitBefore(Infinity);
  }

  #visitBefore(bucket: number): void {
    const complete = [...this.#waiting].filter(([at]) => at < bucket).sort(([a], [b]) => a - b);
    for (const [at, swept] of complete) {
      this.#visit(swept);
      this.#waiting.delete(at);
      for (const one of swept) this.#budget.release(bytesOf(one));
    }
  }
}

/** Bytes that a list holds while its rows wait. */
function bytesOf({ rows, spans }: PersonSpans): number {
  return rows === null ? 0 : rowsIn(spans) * 4;
}
