/** Times and arrival numbers of rows as bytes: the first value, then differences. */
import { type ColumnLength, FLOATS, makeColumn } from '../../../primitives/columns.ts';
import { floatsAt, Lease, primitives, type Scratch } from '../../../primitives/memory.ts';
import { decodeIntegersBriefly, encodeIntegers } from './integers.ts';
import { joinSections, splitSections } from './sections.ts';

/** Rising: differences of at least 0; nearly consecutive: differences minus 1, zigzag, all zero for consecutive numbers. */
const KIND = { raw: 0, rising: 1, nearlyConsecutive: 2 } as const;

/** Whole numbers that never decrease (times, milliseconds). */
export function encodeRising(values: Float64Array): Uint8Array {
  return encodeDifferences(values, KIND.rising);
}

/** Whole numbers, most of them one more than the previous (arrivals in order of time). */
export function encodeNearlyConsecutive(values: Float64Array): Uint8Array {
  return encodeDifferences(values, KIND.nearlyConsecutive);
}

function encodeDifferences(values: Float64Array, kind: typeof KIND.rising | typeof KIND.nearlyConsecutive): Uint8Array {
  using lease = new Lease();
  const differences = lease.words(values.length);
  const [from, out] = [lease.hold(values).byteOffset, differences.byteOffset];
  const fits =
    kind === KIND.rising
      ? primitives.differencesOfRising(from, values.length, out)
      : primitives.differencesOfConsecutive(from, values.length, out);
  if (fits === 0) return joinSections([Uint8Array.of(KIND.raw), bytesOf(values)]);
  const first = Float64Array.of(values[0] ?? 0);
  return joinSections([Uint8Array.of(kind), bytesOf(first), encodeIntegers(differences)]);
}

export function decodeSequence(bytes: Uint8Array): Float64Array {
  const sequence = openSequence(bytes);
  return makeColumn(FLOATS, sequence, sequence.write);
}

/** Like `decodeSequence`, but in the caller's room. */
export function decodeSequenceInto(bytes: Uint8Array, room: Scratch): Float64Array {
  const { length, write } = openSequence(bytes);
  const address = room.of(length * 8);
  write(address);
  return floatsAt(address, length);
}

/** @returns `write` writes the values to an address; call it before decoding anything else. */
function openSequence(bytes: Uint8Array): ColumnLength & { readonly write: (out: number) => void } {
  const [kind, head, packed] = splitSections(bytes);
  const start = new Float64Array(head!.buffer, head!.byteOffset, head!.byteLength >>> 3);
  if (kind![0] === KIND.raw) {
    return { room: start.length, length: start.length, write: (out) => floatsAt(out, start.length).set(start) };
  }
  const { byteOffset, length } = decodeIntegersBriefly(packed!);
  const begin = start[0] ?? 0;
  const write = (out: number): void => {
    if (kind![0] === KIND.rising) primitives.sumRising(byteOffset, length, begin, out);
    else primitives.sumNearlyConsecutive(byteOffset, length, begin, out);
  };
  return { room: length, length, write };
}

const bytesOf = (values: Float64Array): Uint8Array =>
  new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
