/** The persons of rows, and the values of a column at some rows. */
import { addressOfArray, floatsAt, isInMemory, primitives, Scratch, wordsAt } from '../../primitives/memory.ts';
import type { Identity } from '../shard-reader.ts';

const rooms = {
  rows: new Scratch(),
  devices: new Scratch(),
  users: new Scratch(),
  persons: new Scratch(),
  out: new Scratch(),
};

/** The codes of some rows, in the memory of the thread; null if the segment lacks the column. */
interface IdCodes {
  readonly devices: Uint32Array | null;
  readonly users: Uint32Array | null;
}

/**
 * Writes the person of each row: the user, else the user of the device, else the device, else 0. Plain form: `out[row] =
 * users[row] || personOfDevice[devices[row]]`.
 */
export function writePersons({ devices, users }: IdCodes, { personOfDevice }: Identity, out: number): void {
  const count = devices?.length ?? users?.length ?? 0;
  if (devices === null) primitives.fillWords(out, count, 0);
  else {
    if (primitives.largest(devices.byteOffset, 4, count) >= personOfDevice.length)
      throw new Error('a column has devices that are not known');
    primitives.gather(addressOfArray(personOfDevice, rooms.persons), 4, devices.byteOffset, count, out);
  }
  if (users !== null) primitives.preferWords(users.byteOffset, count, out);
}

/** Like `writePersons`, for some of the rows. */
export function personsOfRows({ devices, users }: IdCodes, identity: Identity, rows: Uint32Array): OwnWords {
  if (devices === null && users === null) return new Uint32Array(rows.length);
  const at = addressOfArray(rows, rooms.rows);
  const pick = (codes: Uint32Array | null, room: Scratch): Uint32Array | null => {
    if (codes === null) return null;
    const picked = room.of(rows.length * 4);
    primitives.gather(codes.byteOffset, 4, at, rows.length, picked);
    return wordsAt(picked, rows.length);
  };
  const out = rooms.out.of(rows.length * 4);
  writePersons({ devices: pick(devices, rooms.devices), users: pick(users, rooms.users) }, identity, out);
  return new Uint32Array(wordsAt(out, rows.length));
}

type OwnWords = Uint32Array<ArrayBuffer>;

/** The values at some rows, in a new array. */
export function wordsOfRows(values: Uint32Array, rows: Uint32Array): OwnWords {
  if (!isInMemory(values)) return new Uint32Array(rows.length).map((_, k) => values[rows[k]!]!);
  return new Uint32Array(wordsAt(gathered(values, rows), rows.length));
}

export function floatsOfRows(values: Float64Array, rows: Uint32Array): Float64Array<ArrayBuffer> {
  if (!isInMemory(values)) return new Float64Array(rows.length).map((_, k) => values[rows[k]!]!);
  return new Float64Array(floatsAt(gathered(values, rows), rows.length));
}

function gathered(values: Uint32Array | Float64Array, rows: Uint32Array): number {
  const size = values.BYTES_PER_ELEMENT;
  const out = rooms.out.of(rows.length * size);
  primitives.gather(values.byteOffset, size, addressOfArray(rows, rooms.rows), rows.length, out);
  return out;
}
