/** Gathers the values at certain places. */
import { addressOfArray, primitives, Scratch, viewLike, type MemoryArray } from '../../primitives/memory.ts';
import type { CodeArray } from './field-column.ts';
import { BLOCK_ROWS } from '../check-every.ts';

const rooms = { values: new Scratch(), places: new Scratch(), out: new Scratch() };

/** Writes the value at each place. Returns `out`. Plain form: `out[i] = values[places[i]]`. */
export function pick<A extends MemoryArray>(values: MemoryArray, places: Uint32Array, out: A): A {
  const from = addressOfArray(values, rooms.values);
  const size = values.BYTES_PER_ELEMENT;
  for (let at = 0; at < places.length; at += BLOCK_ROWS) {
    const some = places.subarray(at, at + BLOCK_ROWS);
    const to = rooms.out.of(BLOCK_ROWS * size);
    primitives.gather(from, size, addressOfArray(some, rooms.places), some.length, to);
    out.set(viewLike(values, to, some.length), at);
  }
  return out;
}

/** As narrow as codes up to `size` allow: what is read for every row should fit into the processor's caches. */
export function codeArray(size: number, length: number): CodeArray {
  if (size < 1 << 8) return new Uint8Array(length);
  return size < 1 << 16 ? new Uint16Array(length) : new Uint32Array(length);
}

/** The code at each place, in an array of the same kind. */
export function pickCodes(codes: CodeArray, places: Uint32Array): CodeArray {
  return pick(codes, places, codeArray(2 ** (codes.BYTES_PER_ELEMENT * 8) - 1, places.length));
}
