/**
 * Splits events by person: partition q has the persons p with p % PARTITIONS = q. Laying events out person by person then takes a
 * partition at a time, whose arrays fit into a processor's cache.
 */

import { Lease } from '../../primitives/memory.ts';

/** Few enough to write to all of them at once, enough that each gets 16 thousand of a million persons. */
export const PARTITIONS = 64;
/** The number of a person in its partition is `person >>> PARTITION_SHIFT`. */
export const PARTITION_SHIFT = 6;

export interface EventArrays {
  readonly persons: Uint32Array;
  readonly times: Float64Array;
  /** Set if the order of events within a millisecond is needed. */
  readonly arrivals: Float64Array | null;
  readonly labels: Uint32Array | null;
}

/** The events of partition q end at `ends[q] - 1` and begin where the previous partition's end. */
export interface PartitionedEvents extends EventArrays {
  readonly ends: Uint32Array;
}

/** The first `length` events by partition, in new arrays; each partition keeps their order. */
export function partitionEvents({ persons, times, arrivals, labels }: EventArrays, length: number): PartitionedEvents {
  const ends = new Uint32Array(PARTITIONS);
  for (let i = 0; i < length; i++) ends[persons[i]! & (PARTITIONS - 1)]!++;
  for (let q = 1; q < PARTITIONS; q++) ends[q]! += ends[q - 1]!;
  const next = new Uint32Array(PARTITIONS);
  next.set(ends.subarray(0, PARTITIONS - 1), 1);
  using lease = new Lease();
  const places = lease.words(length);
  for (let i = 0; i < length; i++) places[i] = next[persons[i]! & (PARTITIONS - 1)]!++;
  return {
    persons: placed(persons, places, new Uint32Array(length)),
    times: placed(times, places, new Float64Array(length)),
    arrivals: arrivals === null ? null : placed(arrivals, places, new Float64Array(length)),
    labels: labels === null ? null : placed(labels, places, new Uint32Array(length)),
    ends,
  };
}

function placed<A extends Uint32Array | Float64Array>(values: A, places: Uint32Array, into: A): A {
  for (let i = 0; i < places.length; i++) into[places[i]!] = values[i]!;
  return into;
}
