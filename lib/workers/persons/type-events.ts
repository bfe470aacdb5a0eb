/** Who did the events of one type when, in one segment: kept beside its columns, since funnels ask for it again and again. */
import type { Identity, Segment } from '../../shards/column.ts';

/** In the order of events; those of nobody are left out. */
export interface TypeEvents {
  readonly persons: Uint32Array;
  readonly times: Float64Array;
}

/** @param code Of the event type. */
export function typeEvents(segment: Segment, code: number, identity: Identity): TypeEvents {
  return segment.derived(`events ${code} ${identity.version}`, () => {
    const rows = segment.rowsOfType(code);
    const value = rows.length === 0 ? NONE : gather(rows, segment.persons(identity), segment.times());
    return { value, bytes: value.persons.byteLength + value.times.byteLength + OVERHEAD };
  });
}

const NONE: TypeEvents = { persons: new Uint32Array(0), times: new Float64Array(0) };
/** Bytes of an entry without its arrays, about. */
const OVERHEAD = 200;

function gather(rows: Uint32Array, personOfRow: Uint32Array, timeOfRow: Float64Array): TypeEvents {
  const persons = new Uint32Array(rows.length);
  const times = new Float64Array(rows.length);
  let length = 0;
  for (let k = 0; k < rows.length; k++) {
    const row = rows[k]!;
    persons[length] = personOfRow[row]!;
    times[length] = timeOfRow[row]!;
    if (persons[length] !== 0) length++;
  }
  if (length === rows.length) return { persons, times };
  return { persons: persons.slice(0, length), times: times.slice(0, length) };
}
