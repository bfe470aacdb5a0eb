/** How the starts and returns of a part are gathered. */
import type { TimeRange } from '../../../dsl/time/units.ts';
import type { FirstStarts, Starts } from '../../persons/first-starts.ts';
import { PersonMasks, type MaskArray, WORD_BITS } from '../../persons/person-masks.ts';
import {
  selectEvents,
  selectOrdered,
  selectPersons,
  type EventsWanted,
  type OrderedSpans,
} from '../../persons/select-events.ts';
import type { StartLabels } from '../../persons/start-labels.ts';
import type { QueryContext } from '../../query-context.ts';
import type { EventRows } from '../../rows/event-rows.ts';
import { MAX_PERIOD } from '../../../dsl/plan/columns.ts';
import { BucketSweep, type Swept } from '../../persons/bucket-sweep.ts';
import { forPersons } from '../../persons/person-blocks.ts';
import type { RowRange } from '../../rows/row-set.ts';

/** What is gathered for one part. */
export interface Gathering {
  consume(rows: EventRows, range: RowRange): void;
  /** By word and person: in which buckets they were present. */
  seen(): readonly MaskArray[];
}

export interface RetentionOptions {
  readonly starting: EventsWanted;
  readonly returning: EventsWanted;
  /** First instants. */
  readonly buckets: Float64Array;
  readonly starts: FirstStarts;
  readonly labels: StartLabels | null;
  readonly time: TimeRange;
  readonly context: QueryContext;
}

/** The start events of one segment. */
export function selectStarts(rows: EventRows, range: RowRange, options: RetentionOptions): Starts {
  const { starting, starts, labels, time, context } = options;
  if (!starts.ordered) {
    return { ...selectPersons(rows, { ...range, time }, starting, context), order: null, labels: null };
  }
  if (labels === null) {
    const { times, arrivals, ...persons } = selectOrdered(rows, { ...range, time }, starting, context);
    return { ...persons, order: { times, arrivals }, labels: null };
  }
  const positions = selectEvents(rows, range, starting, context);
  return {
    ...positions,
    persons: rows.persons(),
    order: { times: rows.times(), arrivals: rows.segment.arrivals() },
    labels: labels.of(rows, positions),
  };
}

/** For few buckets if starts are returns: a person's buckets are bits, with segments and parts in any order. */
export function gatherMasks(options: RetentionOptions): Gathering {
  const { starting, returning, buckets, starts, time, context } = options;
  const masks = new PersonMasks(context.identity().size, buckets.length, context);
  return {
    consume(rows, range) {
      const begun = selectStarts(rows, range, options);
      starts.add(begun);
      const same = starting.event === returning.event;
      masks.add(same ? begun : selectPersons(rows, { ...range, time }, returning, context));
    },
    seen: () => masks.words(),
  };
}

/** Start events, or returns; these with their order if it matters in the bucket of the start. */
interface Asked {
  readonly starts: Starts | null;
  readonly returns: OrderedSpans | null;
}

/**
 * In one part that goes through the buckets in order: once a bucket's starts are known, so is the cohort of everybody whose return
 * lies in it. For any number of buckets, and any returning event.
 */
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
