/** The persons whose events are laid out at once. */
import type { RowContext } from '../query-context.ts';
import { PARTITION_SHIFT, PARTITIONS } from './partition.ts';
import { threshold } from '../../base/threshold.ts';

/** Members: persons of some partitions, numbered from 0 in the order of the segments of their first events. */
export class NumberedPersons {
  count = 0;
  /** By `placeOf(person)`: the number + 1; 0: not a member. */
  readonly numbers: Uint32Array;
  /** By number; null unless asked for. */
  readonly persons: Uint32Array | null;
  /** Partitions at a time: 2 ** shift. */
  readonly #shift: number;

  /**
   * @param persons All persons are below this. @param events How many to lay out, for all persons; null: they must be so at once.
   * @param listed Whether to tell the persons of numbers.
   */
  constructor(persons: number, events: number | null, context: RowContext, listed = false) {
    this.#shift = events === null ? PARTITION_SHIFT : shiftFor(events);
    const most = Math.ceil(persons / PARTITIONS) << this.#shift;
    context.budget.take(most * (listed ? 8 : 4));
    this.numbers = new Uint32Array(most);
    this.persons = listed ? new Uint32Array(most) : null;
  }

  clear(): void {
    this.numbers.fill(0);
    this.count = 0;
  }

  /** Partitions `first` to `last` at a time, until all are done. */
  *slices(): Iterable<PartitionRange> {
    const width = 1 << this.#shift;
    for (let first = 0; first < PARTITIONS; first += width)
      yield { first, last: first + width - 1, shift: this.#shift };
  }
}

export interface PartitionRange {
  readonly first: number;
  readonly last: number;
  readonly shift: number;
}

/** About how many events are laid out at once: they stay in a processor's cache, and are enough to be read in long runs. */
const AT_ONCE = threshold('events laid out at once', 50_000);

function shiftFor(events: number): number {
  let shift = 0;
  while (shift < PARTITION_SHIFT && (events << shift) / PARTITIONS < AT_ONCE.value / 2) shift++;
  return shift;
}

/** The number of a person in its slice: combines its number in its partition with the partition's. */
export function placeOf(person: number, shift: number): number {
  return ((person >>> PARTITION_SHIFT) << shift) | (person & ((1 << shift) - 1));
}
