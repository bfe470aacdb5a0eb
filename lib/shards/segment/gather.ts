/** `values[rows[i]]`, in memory of a lease, where the rows are too. */
import { Lease } from '../../primitives/lease.ts';
import { primitives } from '../../primitives/memory.ts';

export function gather(values: Uint32Array, rows: Uint32Array, lease: Lease): Uint32Array {
  return into(lease.words(rows.length), values, rows);
}

export function gatherBytes(values: Uint8Array, rows: Uint32Array, lease: Lease): Uint8Array {
  return into(lease.bytes(rows.length), values, rows);
}

export function gatherFloats(values: Float64Array, rows: Uint32Array, lease: Lease): Float64Array {
  return into(lease.floats(rows.length), values, rows);
}

function into<A extends Uint8Array | Uint32Array | Float64Array>(out: A, values: A, rows: Uint32Array): A {
  using own = new Lease();
  const from = own.hold(values);
  primitives.gather(from.byteOffset, from.BYTES_PER_ELEMENT, rows.byteOffset, rows.length, out.byteOffset);
  return out;
}
