/**
 * Retention by one part that goes through the buckets in order: when a bucket's starts are known, so is everybody's cohort
 * whose return lies in it. Any number of buckets, and any returning event.
 */
import { MAX_PERIOD } from '../../dsl/columns.ts';
import type { Positions } from '../groups/positions.ts';
import { LoopInputs } from '../loops/generate.ts';
import { BucketSweep, type SweptRows } from '../persons/bucket-sweep.ts';
import type { FirstStarts } from '../persons/first-starts.ts';
import { runLoop } from '../persons/person-loop.ts';
import { PersonMasks, type MaskArray } from '../persons/person-masks.ts';
import { selectEvents } from '../persons/select-events.ts';
import type { EventRows } from '../rows/event-rows.ts';
import type { RowRange } from './contract.ts';
import type { Gathering, RetentionOptions } from './retention-gathering.ts';

type Swept = SweptRows<{ readonly starts: boolean; readonly labels: Uint32Array | null }>;

export class RetentionSweep implements Gathering {
  readonly #options: RetentionOptions;
  readonly #sweep: BucketSweep<Swept['of']>;
  readonly #periods: PersonMasks;

  constructor(options: RetentionOptions) {
    const { context, buckets } = options;
    this.#options = options;
    this.#periods = new PersonMasks(context.identity().size, MAX_PERIOD + 1, context);
    this.#sweep = new BucketSweep(buckets, context.budget, (bucket, swept) => this.#visit(bucket, swept));
  }

  consume(rows: EventRows, range: RowRange): void {
    const { starting, returning, labels, context } = this.#options;
    this.#sweep.advance(rows.segment.first);
    const begun = selectEvents(rows, range, starting, context);
    this.#sweep.add(rows, begun, { starts: true, labels: labels?.of(rows, begun) ?? null });
    const same = starting.event === returning.event;
    const returned: Positions = same ? begun : selectEvents(rows, range, returning, context);
    this.#sweep.add(rows, returned, { starts: false, labels: null });
  }

  /** Bit k: returned in the k-th bucket after the cohort's. */
  seen(): MaskArray {
    this.#sweep.finish();
    return this.#periods.masks;
  }

  #visit(bucket: number, swept: readonly Swept[]): void {
    for (const { rows, list, span, of } of swept) {
      if (of.starts) this.#options.starts.add({ rows, list, spans: [span], labels: of.labels });
    }
    for (const one of swept) if (!one.of.starts) this.#addReturns(bucket, one);
  }

  /** Plain form: `const k = bucket - cohort[p]; if (k is a period and the row is not before p's start) periods[p] |= 1 << k`. */
  #addReturns(bucket: number, { rows, list, span }: Swept): void {
    const { starts, starting, returning, context } = this.#options;
    const inputs = new LoopInputs();
    const { masks } = this.#periods;
    const [persons, cohorts, periods] = [rows.persons(), starts.cohorts, masks].map((array) => inputs.name(array));
    // Where every start returns by itself, whoever has a row in the bucket of the start returned in it.
    const byStarting = returning.event === null || returning.event === starting.event;
    const after = byStarting ? 'true' : afterStart(rows, starts, inputs);
    const body = `const p = ${persons}[i], c = ${cohorts}[p], period = a - c;
if (c !== 0 && period <= ${MAX_PERIOD} && (period > 0 || ${after})) ${periods}[p] |= 1 << period;`;
    runLoop([span], { body, inputs, out: masks, list, numbers: () => ({ a: bucket + 1, b: 0 }) }, context);
  }
}

/** The row is not before the first start of `p`, in the order of events. */
function afterStart(rows: EventRows, { places }: FirstStarts, inputs: LoopInputs): string {
  if (places === null) throw new Error('the places of starts are not known');
  const [time, arrival] = [rows.times(), rows.segment.arrivals()].map((array) => inputs.name(array));
  const [startTime, startArrival] = [places.times, places.arrivals].map((array) => inputs.name(array));
  return `${time}[i] > ${startTime}[p] || (${time}[i] === ${startTime}[p] && ${arrival}[i] >= ${startArrival}[p])`;
}
