/** How the starts and returns of a part are gathered. */
import type { TimeRange } from '../../../dsl/time/units.ts';
import type { FirstStarts, Starts } from '../../persons/first-starts.ts';
import { PersonMasks, WORD_BITS } from '../../persons/person-masks.ts';
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
import { periodsOf } from '../../../dsl/plan/columns.ts';
import type { CellMetric, RetentionPlan } from '../../../dsl/plan/plan.ts';
import { BucketSweep, type Swept } from '../../persons/bucket-sweep.ts';
import { forPersons, type PersonBlock } from '../../persons/person-blocks.ts';
import { wordsAt } from '../../../primitives/memory.ts';
import { Scan } from '../../groups/scan.ts';
import { ALL } from '../../where/filter.ts';
import type { RowRange } from '../../rows/row-set.ts';

/** What is gathered for one part. */
export interface Gathering {
  consume(rows: EventRows, range: RowRange): void;
  /** In which buckets persons were present. */
  seen(): PersonMasks;
}

/** Takes returning events once the starts of their persons are known. */
export interface ReturnSink {
  /**
   * @param given The numbers of the block's events, which begin at its first index; null without.
   * @param times By the indices of the block's rows; null where no order was asked for.
   */
  add(block: PersonBlock, given: Float64Array | null, times: Float64Array | null): void;
}

export interface RetentionOptions {
  readonly starting: EventsWanted;
  readonly returning: EventsWanted;
  /** Of returning events. */
  readonly metric: CellMetric | null;
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
    seen: () => masks,
  };
}

/** Start events, or returns; these with their order if it matters in the bucket of the start, and with numbers for a metric. */
interface Asked {
  readonly starts: Starts | null;
  readonly returns: OrderedSpans | null;
  readonly given: Float64Array | null;
}

/** The periods in which persons returned. */
export class PeriodMarks implements ReturnSink {
  readonly #starts: FirstStarts;
  readonly #last: number;
  readonly #unbounded: boolean;
  /** Whole words; bit k is period k. */
  readonly #periods: PersonMasks;

  constructor(plan: RetentionPlan, { starts, context }: RetentionOptions) {
    const { buckets, last } = periodsOf(plan);
    this.#starts = starts;
    // A range without buckets has no period, but a word for each person.
    this.#last = Math.max(Math.min(last, buckets - 1), 0);
    this.#unbounded = plan.unbounded;
    const words = Math.floor(this.#last / WORD_BITS) + 1;
    this.#periods = new PersonMasks(context.identity().size, words * WORD_BITS, context);
  }

  /** Plain form: `const k = bucket - cohort[p]; if (k is a period) periods[p] |= 1 << k`; if unbounded, a later one is the last. */
  add(block: PersonBlock): void {
    const addresses = this.#periods.addresses;
    for (const [word, masks] of addresses.entries()) {
      const first = word * WORD_BITS;
      this.#starts.markPeriods(block, { first, most: Math.min(this.#last - first, WORD_BITS - 1), masks });
    }
    if (!this.#unbounded) return;
    const [last, masks] = [wordsAt(addresses.at(-1)!, this.#starts.persons), 1 << (this.#last % WORD_BITS)];
    for (const person of wordsAt(block.persons, block.count)) {
      const start = person === 0 ? -1 : this.#starts.bucketOf(person);
      if (start >= 0 && block.bucket - start > this.#last) last[person]! |= masks;
    }
  }

  get masks(): PersonMasks {
    return this.#periods;
  }
}

/**
 * In one part that goes through the buckets in order: once a bucket's starts are known, so is the cohort of everybody whose return
 * lies in it. For any number of buckets, and any returning event.
 */
export class RetentionSweep<Sink extends ReturnSink> {
  readonly #options: RetentionOptions;
  readonly #sweep: BucketSweep<Asked>;
  readonly #sink: Sink;

  constructor(options: RetentionOptions, sink: Sink) {
    const { context, buckets } = options;
    this.#options = options;
    this.#sink = sink;
    this.#sweep = new BucketSweep(buckets, context.budget, (swept) => this.#visit(swept));
  }

  consume(rows: EventRows, range: RowRange): void {
    this.#sweep.advance(rows.segment.first);
    const starts = selectStarts(rows, range, this.#options);
    this.#sweep.add(starts, { starts, returns: null, given: null });
    if (this.#options.metric === null) this.#addReturning(rows, range, starts);
    else this.#addMeasured(rows, range, this.#options.metric);
  }

  /** All rows are read: the sink has them. */
  finish(): Sink {
    this.#sweep.finish();
    return this.#sink;
  }

  #addReturning(rows: EventRows, range: RowRange, starts: Starts): void {
    const { starting, returning, time, context } = this.#options;
    if (starting.event === returning.event) {
      this.#sweep.add(starts, { starts: null, returns: null, given: null });
    } else if (returning.event === null) {
      this.#sweep.add(selectPersons(rows, { ...range, time }, returning, context), {
        starts: null,
        returns: null,
        given: null,
      });
    } else {
      const returns = selectOrdered(rows, { ...range, time }, returning, context);
      this.#sweep.add(returns, { starts: null, returns, given: null });
    }
  }

  /** Returning events with the numbers of a metric; `count` takes them without. */
  #addMeasured(rows: EventRows, range: RowRange, metric: CellMetric): void {
    const { returning, context } = this.#options;
    const measured = { ...returning, where: [...returning.where, metric.where ?? null] };
    const positions = selectEvents(rows, range, measured, context);
    const pieces =
      metric.kind === 'count'
        ? [{ ...positions, values: null }]
        : new Scan(rows, positions, ALL, context).numeric(metric.field);
    for (const { values, ...piece } of pieces) {
      if (piece.spans.length === 0) continue;
      const returns = {
        ...piece,
        persons: rows.persons(),
        times: rows.times(),
        arrivals: rows.segment.arrivals(),
      };
      context.budget.take(values?.byteLength ?? 0);
      this.#sweep.add(returns, { starts: null, returns, given: values });
    }
  }

  #visit(swept: readonly Swept<Asked>[]): void {
    for (const { of, spans } of swept) if (of.starts !== null) this.#options.starts.add({ ...of.starts, spans });
    for (const one of swept) if (one.of.starts === null) this.#addReturns(one);
  }

  /** Rows that are not before their person's start. */
  #addReturns(rows: Swept<Asked>): void {
    const { starts, context } = this.#options;
    const { returns } = rows.of;
    forPersons(rows, context, (block) => {
      // If every start is itself a return, persons with a row in the bucket of their start returned in it.
      const own = returns === null ? block.persons : starts.notBefore(block, returns);
      this.#sink.add({ ...block, persons: own }, rows.of.given, returns?.times ?? null);
    });
  }
}
