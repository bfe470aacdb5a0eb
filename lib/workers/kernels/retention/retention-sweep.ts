/**
 * Retention in one part that goes through the buckets in order: once a bucket's starts are known, so is the cohort of everybody
 * whose return lies in it. For any number of buckets, and any returning event.
 */
import { MAX_PERIOD } from '../../../dsl/plan/columns.ts';
import { BucketSweep, type Swept } from '../../persons/bucket-sweep.ts';
import type { Starts } from '../../persons/first-starts.ts';
import { forPersons } from '../../persons/person-blocks.ts';
import { PersonMasks, WORD_BITS, type MaskArray } from '../../persons/person-masks.ts';
import { selectOrdered, selectPersons, type OrderedSpans } from '../../persons/select-events.ts';
import type { EventRows } from '../../rows/event-rows.ts';
import type { RowRange } from '../contract.ts';
import { selectStarts, type Gathering, type RetentionOptions } from './retention-gathering.ts';

/** Start events, or returns; these with their order if it matters in the bucket of the start. */
interface Asked {
  readonly starts: Starts | null;
  readonly returns: OrderedSpans | null;
}

export class RetentionSweep implements Gathering {
  readonly #options: RetentionOptions;
  readonly #sweep: BucketSweep<Asked>;
  /** Whole words; bit k is period k. */
  readonly #periods: PersonMasks;

  constructor(options: RetentionOptions) {
    const { context, buckets } = options;
    this.#options = options;
    this.#periods = new PersonMasks(context.identity().size, WORD_BITS, context);
    this.#sweep = new BucketSweep(buckets, context.budget, (swept) => this.#visit(swept));
  }

  consume(rows: EventRows, range: RowRange): void {
    this.#sweep.advance(rows.segment.first);
    const starts = selectStarts(rows, range, this.#options);
    this.#sweep.add(starts, { starts, returns: null });
    this.#addReturning(rows, range, starts);
  }

  /** Bit k: returned in the k-th bucket after the cohort's. */
  seen(): readonly MaskArray[] {
    this.#sweep.finish();
    return this.#periods.words();
  }

  #addReturning(rows: EventRows, range: RowRange, starts: Starts): void {
    const { starting, returning, time, context } = this.#options;
    if (starting.event === returning.event) {
      this.#sweep.add(starts, { starts: null, returns: null });
    } else if (returning.event === null) {
      this.#sweep.add(selectPersons(rows, { ...range, time }, returning, context), { starts: null, returns: null });
    } else {
      const returns = selectOrdered(rows, { ...range, time }, returning, context);
      this.#sweep.add(returns, { starts: null, returns });
    }
  }

  #visit(swept: readonly Swept<Asked>[]): void {
    for (const { of, spans } of swept) if (of.starts !== null) this.#options.starts.add({ ...of.starts, spans });
    for (const one of swept) if (one.of.starts === null) this.#addReturns(one);
  }

  /** Plain form: `const k = bucket - cohort[p]; if (k is a period and the row is not before p's start) periods[p] |= 1 << k`. */
  #addReturns(rows: Swept<Asked>): void {
    const { starts, context } = this.#options;
    const { returns } = rows.of;
    forPersons(rows, context, (block) => {
      // If every start is itself a return, persons with a row in the bucket of their start returned in it.
      const own = returns === null ? block.persons : starts.notBefore(block, returns);
      starts.markPeriods({ ...block, persons: own }, MAX_PERIOD, this.#periods.firstWord);
    });
  }
}
