/** The first start event of each person: its bucket, and if needed its place in the order of events and its label. */
import { BYTES } from '../../primitives/columns.ts';
import { primitives, Scratch, wordsAt } from '../../primitives/memory.ts';
import { countsBySlot, numbersBySlot, SlotState } from '../metrics/state-array.ts';
import type { RowContext } from '../query-context.ts';
import { forPersons, type PersonBlock } from './person-blocks.ts';
import { personsWith } from './person-lists.ts';
import type { OrderedSpans, PersonSpans } from './select-events.ts';
import { BLOCK_ROWS } from '../check-every.ts';

/** Of persons: bucket + 1 of the first start; 0: none. */
export type CohortArray = Uint8Array | Uint32Array;

/** Of persons; arbitrary for those without a start. */
export interface StartPlaces {
  readonly times: Float64Array;
  readonly arrivals: Float64Array;
  /** null without groups. */
  readonly labels: Uint32Array | null;
}

export interface FirstStartsOptions {
  readonly persons: number;
  readonly buckets: number;
  /** Whether more than the bucket is needed. */
  readonly places: boolean;
  readonly labelled: boolean;
}

type Order = Pick<OrderedSpans, 'times' | 'arrivals'>;

/** As StartPlaces, while rows are read. */
interface Places {
  readonly times: SlotState<Float64Array>;
  readonly arrivals: SlotState<Float64Array>;
  readonly labels: SlotState<Uint32Array> | null;
}

/** Start events, cut by bucket. */
export interface Starts extends PersonSpans {
  /** If more than the bucket is needed: times and arrivals, at the same indices as the persons. */
  readonly order: Order | null;
  /** By place, if starts are labelled. */
  readonly labels: Uint32Array | null;
}

/** A bit for each of the periods `first` to `first + most`. */
export interface PeriodMask {
  readonly first: number;
  readonly most: number;
  /** Address of a word for each person. */
  readonly masks: number;
}

export class FirstStarts {
  readonly #cohorts: SlotState<Uint8Array> | SlotState<Uint32Array>;
  readonly #places: Places | null;
  readonly #context: RowContext;

  constructor({ persons, buckets, places, labelled }: FirstStartsOptions, context: RowContext) {
    const [times, arrivals] = [numbersBySlot(context), numbersBySlot(context)];
    const labels = labelled ? countsBySlot(context) : null;
    this.#cohorts = buckets < 256 ? new SlotState(BYTES, 0, context) : countsBySlot(context);
    this.#places = places ? { times, arrivals, labels } : null;
    for (const state of [this.#cohorts, ...(places ? [times, arrivals, labels] : [])]) state?.resize(persons);
    this.#context = context;
  }

  /** Whether more than the bucket is known. */
  get ordered(): boolean {
    return this.#places !== null;
  }

  /** All persons are below this. */
  get persons(): number {
    return this.#cohorts.values.length;
  }

  /** The bucket of a person's first start; -1: none yet. */
  bucketOf(person: number): number {
    return this.#cohorts.values[person]! - 1;
  }

  /** The time of a person's first start; throws if only its bucket is known. */
  timeOf(person: number): number {
    if (this.#places === null) throw new Error('the places of starts are not known');
    return this.#places.times.values[person]!;
  }

  /** The label of a person's first start; 0 without labels. */
  labelOf(person: number): number {
    return this.#places?.labels?.values[person] ?? 0;
  }

  /** The persons who have started, ascending. */
  started(): Uint32Array {
    return personsWith([this.#cohorts.values], this.#context);
  }

  /** The starts of some persons. */
  of(persons: Uint32Array): { readonly cohorts: CohortArray; readonly places: StartPlaces | null } {
    const { budget, memory } = this.#context;
    const pick = <A extends Uint8Array | Uint32Array | Float64Array>({ values }: SlotState<A>): A => {
      budget.take(persons.length * values.BYTES_PER_ELEMENT);
      return memory.gather(values, persons);
    };
    const cohorts = pick<CohortArray>(this.#cohorts);
    if (this.#places === null) return { cohorts, places: null };
    const { times, arrivals, labels } = this.#places;
    return { cohorts, places: { times: pick(times), arrivals: pick(arrivals), labels: labels && pick(labels) } };
  }

  /**
   * Plain form: `if (cohort[p] === 0 || start is before the known one of p) { cohort[p] = bucket + 1; … }`; without places, the
   * earlier bucket counts as before.
   */
  add({ order, labels, ...rows }: Starts): void {
    forPersons(rows, this.#context, (block) => {
      const { persons, count, bucket } = block;
      if (this.#places !== null && order !== null) this.#addPlaces(this.#places, block, { order, labels });
      else primitives.earliestCohorts(persons, count, bucket + 1, this.#cohorts.address, this.#cohortSize);
    });
  }

  /** For returns in a bucket: `masks[p] |= 1 << k` in the k-th bucket from `first` after the cohort on, up to `most`. */
  markPeriods({ persons, count, bucket }: PersonBlock, { first, most, masks }: PeriodMask): void {
    if (first > bucket) return;
    primitives.markPeriods(persons, count, bucket - first + 1, this.#cohorts.address, this.#cohortSize, most, masks);
  }

  /** The persons of a block, with nobody instead of those whose row is before their first start; needs the order of starts. */
  notBefore({ vectors, persons, count }: PersonBlock, { times, arrivals }: Order): number {
    if (this.#places === null) throw new Error('the places of starts are not known');
    const { times: firstTimes, arrivals: firstArrivals } = this.#places;
    const [own, arrived] = [vectors.moments(times, 'times'), vectors.moments(arrivals, 'arrivals')];
    const out = chosen.of(BLOCK_ROWS * 4);
    primitives.notBefore(persons, own, arrived, count, firstTimes.address, firstArrivals.address, out);
    return out;
  }

  get #cohortSize(): 1 | 4 {
    return this.#cohorts.values instanceof Uint8Array ? 1 : 4;
  }

  #addPlaces(
    { times, arrivals, labels: kept }: Places,
    { vectors, persons, count, bucket, first }: PersonBlock,
    { order, labels }: { readonly order: Order; readonly labels: Uint32Array | null },
  ): void {
    const [own, arrived] = [vectors.moments(order.times, 'times'), vectors.moments(order.arrivals, 'arrivals')];
    const out = chosen.of(BLOCK_ROWS * 4);
    const [rows, cohorts] = [
      [persons, own, arrived, count] as const,
      [this.#cohorts.address, this.#cohortSize] as const,
    ];
    const length = primitives.earlierStarts(...rows, bucket + 1, ...cohorts, times.address, arrivals.address, out);
    if (kept === null || labels === null) return;
    const of = wordsAt(persons, count);
    for (const at of wordsAt(out, length)) kept.values[of[at]!] = labels[first + at]!;
  }
}

const chosen = new Scratch();
