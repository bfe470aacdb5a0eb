/** Who did the events of one type when, in one segment: cached beside its columns, since it is needed again and again. */
import type { Identity, Segment } from '../../shards/shard-reader.ts';
import { partitionEvents, type PartitionedEvents } from './partition.ts';
import { ENTRY_BYTES } from '../budget.ts';

export interface TypeEvents {
  readonly persons: Uint32Array<ArrayBuffer>;
  readonly times: Float64Array<ArrayBuffer>;
}

/** In the order of events, without those of nobody. @param code Of the event type. */
export function typeEvents(segment: Segment, code: number, identity: Identity): TypeEvents {
  return segment.derived(`events ${code} ${identity.version}`, () => {
    const value = gather(segment, code, identity);
    return { value, bytes: value.persons.byteLength + value.times.byteLength + ENTRY_BYTES };
  });
}

/** The arrivals of these events. */
export function typeArrivals(segment: Segment, code: number, identity: Identity): Float64Array {
  return segment.derived(`arrivals ${code} ${identity.version}`, () => {
    const value = gatherArrivals(segment, code, identity);
    return { value, bytes: value.byteLength + ENTRY_BYTES };
  });
}

/** Persons and times by partition, and arrivals if they are wanted. */
export function partitionedTypeEvents(
  segment: Segment,
  code: number,
  identity: Identity,
  ordered: boolean,
): PartitionedEvents {
  return segment.derived(`${ordered ? 'ordered' : 'partitioned'} events ${code} ${identity.version}`, () => {
    const events = gather(segment, code, identity);
    const arrivals = ordered ? gatherArrivals(segment, code, identity) : null;
    const value = partitionEvents({ ...events, arrivals, labels: null }, events.persons.length);
    const bytes = value.persons.length * (4 + 8 + (ordered ? 8 : 0)) + value.ends.byteLength;
    return { value, bytes: bytes + ENTRY_BYTES };
  });
}

function gather(segment: Segment, code: number, identity: Identity): TypeEvents {
  const rows = segment.rowsOfType(code);
  if (rows.length === 0) return { persons: new Uint32Array(0), times: new Float64Array(0) };
  const events = { persons: segment.personsAt(rows, identity), times: segment.timesAt(rows) };
  const length = leaveOutNobody(events);
  if (length === rows.length) return events;
  return { persons: events.persons.slice(0, length), times: events.times.slice(0, length) };
}

function gatherArrivals(segment: Segment, code: number, identity: Identity): Float64Array<ArrayBuffer> {
  const all = segment.rowsOfType(code);
  if (all.length === 0) return new Float64Array(0);
  const persons = segment.personsAt(all, identity);
  const arrivals = segment.arrivals();
  const rows = all.filter((_, nth) => persons[nth] !== 0);
  return Float64Array.from(rows, (row) => arrivals[row]!);
}

/** Moves events that have a person to the front; returns how many there are. */
function leaveOutNobody({ persons, times }: TypeEvents): number {
  let length = 0;
  for (let k = 0; k < persons.length; k++) {
    const person = persons[k]!;
    persons[length] = person;
    times[length] = times[k]!;
    if (person !== 0) length++;
  }
  return length;
}
