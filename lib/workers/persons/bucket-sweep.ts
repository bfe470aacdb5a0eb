/**
 * Visits rows bucket by bucket although they come segment by segment: segments come by first time and may overlap, so a bucket is
 * complete once a segment begins after it.
 */
import { bucketIndex } from '../../dsl/time/buckets.ts';
import type { Budget } from '../budget.ts';
import type { RowSpan } from '../groups/positions.ts';
import type { PersonSpans } from './select-persons.ts';

/** The persons of one bucket in one segment. `of` is whatever the kernel attaches to them. */
export interface Swept<T> {
  readonly persons: Uint32Array;
  readonly list: Uint32Array | null;
  readonly span: RowSpan;
  readonly of: T;
}

export class BucketSweep<T> {
  readonly #starts: Float64Array;
  readonly #budget: Budget;
  readonly #visit: (bucket: number, rows: readonly Swept<T>[]) => void;
  readonly #waiting = new Map<number, Swept<T>[]>();

  /** @param starts First instants of the buckets. @param visit Called once per bucket with rows, in order of buckets. */
  constructor(starts: Float64Array, budget: Budget, visit: (bucket: number, rows: readonly Swept<T>[]) => void) {
    this.#starts = starts;
    this.#budget = budget;
    this.#visit = visit;
  }

  /** Adds rows cut by the sweep's buckets. */
  add({ persons, list, spans }: PersonSpans, of: T): void {
    for (const span of spans) {
      this.#budget.take(bytesOf(list, span));
      const waiting = this.#waiting.get(span.bucket);
      const swept = { persons, list, span, of };
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
      this.#visit(at, swept);
      this.#waiting.delete(at);
      for (const { list, span } of swept) this.#budget.release(bytesOf(list, span));
    }
  }
}

/** Bytes that a list holds while its rows wait. */
function bytesOf(list: Uint32Array | null, { from, to }: RowSpan): number {
  return list === null ? 0 : (to - from) * 4;
}
