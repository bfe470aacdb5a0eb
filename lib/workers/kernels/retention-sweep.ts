/**
 * Retention by one part that goes through the buckets in order: when a bucket's starts are known, so is everybody's cohort
 * whose return lies in it. Any number of buckets, and any returning event.
 */
import { MAX_PERIOD } from '../../dsl/columns.ts';
import { LoopInputs } from '../loops/generate.ts';
import { BucketSweep, type Swept } from '../persons/bucket-sweep.ts';
import type { FirstStarts, Starts } from '../persons/first-starts.ts';
import { runLoop } from '../persons/person-loop.ts';
import { PersonMasks, type MaskArray } from '../persons/person-masks.ts';
import { selectEvents } from '../persons/select-events.ts';
import { selectPersons } from '../persons/select-persons.ts';
import type { EventRows } from '../rows/event-rows.ts';
import type { RowRange } from './contract.ts';
import type { Gathering, RetentionOptions } from './retention-gathering.ts';
import { selectStarts } from './retention-starts.ts';

/** `rows`: what the places are rows of, where their order in the bucket of the start is asked. */
interface Asked {
  readonly starts: Starts | null;
  readonly rows: EventRows | null;
}

export class RetentionSweep implements Gathering {
  readonly #options: RetentionOptions;
  readonly #sweep: BucketSweep<Asked>;
  readonly #periods: PersonMasks;

  constructor(options: RetentionOptions) {
    const { context, buckets } = options;
    this.#options = options;
    this.#periods = new PersonMasks(context.identity().size, MAX_PERIOD + 1, context);
    this.#sweep = new BucketSweep(buckets, context.budget, (bucket, swept) => this.#visit(bucket, swept));
  }

  consume(rows: EventRows, range: RowRange): void {
    this.#sweep.advance(rows.segment.first);
    const starts = selectStarts(rows, range, this.#options);
    this.#sweep.add(starts, { starts, rows: null });
    this.#addReturning(rows, range, starts);
  }

  /** Bit k: returned in the k-th bucket after the cohort's. */
  seen(): readonly MaskArray[] {
    this.#sweep.finish();
    return this.#periods.words;
  }

  #addReturning(rows: EventRows, range: RowRange, starts: Starts): void {
    const { starting, returning, time, context } = this.#options;
    if (starting.event === returning.event) {
      this.#sweep.add(starts, { starts: null, rows: null });
    } else if (returning.event === null) {
      this.#sweep.add(selectPersons(rows, { ...range, time }, returning, context), { starts: null, rows: null });
    } else {
      const { rows: list, spans } = selectEvents(rows, range, returning, context);
      this.#sweep.add({ persons: rows.persons(), list, spans }, { starts: null, rows });
    }
  }

  #visit(bucket: number, swept: readonly Swept<Asked>[]): void {
    for (const { of, span } of swept) if (of.starts !== null) this.#options.starts.add({ ...of.starts, spans: [span] });
    for (const one of swept) if (one.of.starts === null) this.#addReturns(bucket, one);
  }

  /** Plain form: `const k = bucket - cohort[p]; if (k is a period and the row is not before p's start) periods[p] |= 1 << k`. */
  #addReturns(bucket: number, { persons: of, list, span, of: { rows } }: Swept<Asked>): void {
    const { starts, context } = this.#options;
    const inputs = new LoopInputs();
    const masks = this.#periods.words[0]!;
    const [persons, cohorts, periods] = [of, starts.cohorts, masks].map((array) => inputs.name(array));
    // Where every start returns by itself, whoever has a row in the bucket of the start returned in it.
    const after = rows === null ? 'true' : afterStart(rows, starts, inputs);
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
