/** Who did the events of one type when, in one segment: kept beside its columns, since it is asked for again and again. */
import type { Identity, Segment } from '../../shards/column.ts';
import { partitionEvents, type PartitionedEvents } from './partition.ts';

export interface TypeEvents {
  readonly persons: Uint32Array<ArrayBuffer>;
  readonly times: Float64Array<ArrayBuffer>;
}

/** In the order of events; those of nobody are left out. @param code Of the event type. */
export function typeEvents(segment: Segment, code: number, identity: Identity): TypeEvents {
  return segment.derived(`events ${code} ${identity.version}`, () => {
    const value = gather(segment, code, identity);
    return { value, bytes: value.persons.length * BYTES_PER_EVENT + OVERHEAD };
  });
}

/** Their arrivals. */
export function typeArrivals(segment: Segment, code: number, identity: Identity): Float64Array {
  return segment.derived(`arrivals ${code} ${identity.version}`, () => {
    const persons = segment.persons(identity);
    const arrivals = segment.arrivals();
    const rows = segment.rowsOfType(code).filter((row) => persons[row] !== 0);
    const value = Float64Array.from(rows, (row) => arrivals[row]!);
    return { value, bytes: value.byteLength + OVERHEAD };
  });
}

/** Persons and times by partition. */
export function partitionedTypeEvents(segment: Segment, code: number, identity: Identity): PartitionedEvents {
  return segment.derived(`partitioned events ${code} ${identity.version}`, () => {
    const events = gather(segment, code, identity);
    const value = partitionEvents({ ...events, arrivals: null, labels: null }, events.persons.length);
    return { value, bytes: value.persons.length * BYTES_PER_EVENT + value.ends.byteLength + OVERHEAD };
  });
}

const BYTES_PER_EVENT = 12;
/** Bytes of an entry without its arrays, about. */
const OVERHEAD = 200;

function gather(segment: Segment, code: number, identity: Identity): TypeEvents {
  const rows = segment.rowsOfType(code);
  const persons = new Uint32Array(rows.length);
  const times = new Float64Array(rows.length);
  if (rows.length === 0) return { persons, times };
  const length = gatherRows(rows, { personOf: segment.persons(identity), timeOf: segment.times(), persons, times });
  return length === rows.length
    ? { persons, times }
    : { persons: persons.slice(0, length), times: times.slice(0, length) };
}

interface Columns {
  readonly personOf: Uint32Array;
  readonly timeOf: Float64Array;
  readonly persons: Uint32Array;
  readonly times: Float64Array;
}

function gatherRows(rows: Uint32Array, { personOf, timeOf, persons, times }: Columns): number {
  let length = 0;
  for (let k = 0; k < rows.length; k++) {
    const row = rows[k]!;
    const person = personOf[row]!;
    persons[length] = person;
    times[length] = timeOf[row]!;
    if (person !== 0) length++;
  }
  return length;
}
