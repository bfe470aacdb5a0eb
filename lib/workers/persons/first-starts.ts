/** The first start event of each person: its bucket, and where more is asked its place in the order of events and its label. */
import { LoopInputs } from '../loops/generate.ts';
import type { RowContext } from '../query-context.ts';
import { runLoop } from './person-loop.ts';
import type { OrderedSpans, PersonSpans } from './select-persons.ts';

/** By person: bucket + 1 of the first start; 0: none. */
export type CohortArray = Uint8Array<ArrayBuffer> | Uint32Array<ArrayBuffer>;

/** By person; of persons without a start anything. */
export interface StartPlaces {
  readonly times: Float64Array<ArrayBuffer>;
  readonly arrivals: Float64Array<ArrayBuffer>;
  /** null without groups. */
  readonly labels: Uint32Array<ArrayBuffer> | null;
}

export interface FirstStartsOptions {
  readonly persons: number;
  readonly buckets: number;
  /** Whether more than the bucket is asked. */
  readonly places: boolean;
  readonly labelled: boolean;
}

/** Start events, cut by bucket. */
export interface Starts extends PersonSpans {
  /** Where more than the bucket is asked: times and arrivals, where the persons are. */
  readonly order: Pick<OrderedSpans, 'times' | 'arrivals'> | null;
  /** By place, where starts are labelled. */
  readonly labels: Uint32Array | null;
}

export class FirstStarts {
  readonly cohorts: CohortArray;
  readonly places: StartPlaces | null;
  readonly #context: RowContext;

  constructor({ persons, buckets, places, labelled }: FirstStartsOptions, context: RowContext) {
    const narrow = buckets < 256;
    context.budget.take(persons * ((narrow ? 1 : 4) + (places ? 16 : 0) + (labelled ? 4 : 0)));
    this.cohorts = narrow ? new Uint8Array(persons) : new Uint32Array(persons);
    this.places = places
      ? {
          times: new Float64Array(persons),
          arrivals: new Float64Array(persons),
          labels: labelled ? new Uint32Array(persons) : null,
        }
      : null;
    this.#context = context;
  }

  /**
   * Plain form: `if (cohort[p] === 0 || start is before the known one of p) { cohort[p] = bucket + 1; … }`, where without
   * places the earlier bucket is before.
   */
  add({ persons: of, order, list, spans, labels }: Starts): void {
    if (spans.length === 0) return;
    const inputs = new LoopInputs();
    const persons = inputs.name(of);
    const cohorts = inputs.name(this.cohorts);
    const body =
      this.places === null || order === null
        ? `const p = ${persons}[i], c = ${cohorts}[p]; if (c === 0 || c > a) ${cohorts}[p] = a;`
        : `const p = ${persons}[i]; ${placeBody(order, cohorts, this.places, labels, inputs)}`;
    runLoop(
      spans,
      { body, inputs, out: this.cohorts, list, numbers: ({ bucket }) => ({ a: bucket + 1, b: 0 }) },
      this.#context,
    );
  }
}

function placeBody(
  order: Pick<OrderedSpans, 'times' | 'arrivals'>,
  cohorts: string,
  { times, arrivals, labels: kept }: StartPlaces,
  labels: Uint32Array | null,
  inputs: LoopInputs,
): string {
  const [time, arrival] = [order.times, order.arrivals].map((array) => inputs.name(array));
  const [knownTime, knownArrival] = [times, arrivals].map((array) => inputs.name(array));
  const label = kept === null || labels === null ? '' : `${inputs.name(kept)}[p] = ${inputs.name(labels)}[k];`;
  return `const t = ${time}[i], known = ${knownTime}[p];
if (${cohorts}[p] === 0 || t < known || (t === known && ${arrival}[i] < ${knownArrival}[p])) {
  ${cohorts}[p] = a; ${knownTime}[p] = t; ${knownArrival}[p] = ${arrival}[i]; ${label}
}`;
}
