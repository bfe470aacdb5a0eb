/** Times and arrival numbers of rows as bytes: the first value, then differences. */
import { FLOATS, makeColumn, type ColumnLength } from '../../../primitives/columns.ts';
import { floatsAt, primitives, type Room } from '../../../primitives/memory.ts';
import { decodeIntegersBriefly, encodeIntegers } from './integers.ts';
import { joinSections, splitSections } from './sections.ts';

const RAW = 0;
const RISING = 1; // differences of at least 0
const NEARLY_CONSECUTIVE = 2; // differences minus 1, zigzag: all zero for consecutive numbers

/** Whole numbers that never decrease (times, milliseconds). */
export function encodeRising(values: Float64Array): Uint8Array {
  const differences = new Uint32Array(values.length);
  for (let i = 1; i < values.length; i++) {
    const difference = values[i]! - values[i - 1]!;
    if (!(difference >= 0 && difference <= 0xffffffff)) return raw(values);
    differences[i] = difference;
  }
  return joinSections([Uint8Array.of(RISING), first(values), encodeIntegers(differences)]);
}

/** Whole numbers, most of them one more than the previous (arrivals in order of time). */
export function encodeNearlyConsecutive(values: Float64Array): Uint8Array {
  const differences = new Uint32Array(values.length);
  for (let i = 1; i < values.length; i++) {
    const difference = values[i]! - values[i - 1]! - 1;
    if (Math.abs(difference) > 0x7fffffff) return raw(values);
    differences[i] = difference >= 0 ? difference * 2 : -difference * 2 - 1;
  }
  return joinSections([Uint8Array.of(NEARLY_CONSECUTIVE), first(values), encodeIntegers(differences)]);
}

export function decodeSequence(bytes: Uint8Array): Float64Array {
  const sequence = openSequence(bytes);
  return makeColumn(FLOATS, sequence, sequence.write);
}

/** Like `decodeSequence`, but in the caller's room. */
export function decodeSequenceInto(bytes: Uint8Array, room: Room): Float64Array {
  const { length, write } = openSequence(bytes);
  const address = room.of(length * 8);
  write(address);
  return floatsAt(address, length);
}

/** @returns `write` writes the values to an address; call it before decoding anything else. */
function openSequence(bytes: Uint8Array): ColumnLength & { readonly write: (out: number) => void } {
  const [kind, head, packed] = splitSections(bytes);
  const start = new Float64Array(head!.buffer, head!.byteOffset, head!.byteLength >>> 3);
  if (kind![0] === RAW) {
    return { room: start.length, length: start.length, write: (out) => floatsAt(out, start.length).set(start) };
  }
  const { byteOffset, length } = decodeIntegersBriefly(packed!);
  const begin = start[0] ?? 0;
  const write = (out: number): void => {
    if (kind![0] === RISING) primitives.sumRising(byteOffset, length, begin, out);
    else primitives.sumNearlyConsecutive(byteOffset, length, begin, out);
  };
  return { room: length, length, write };
}

const raw = (values: Float64Array): Uint8Array =>
  joinSections([Uint8Array.of(RAW), new Uint8Array(values.buffer, values.byteOffset, values.byteLength)]);
const first = (values: Float64Array): Uint8Array => new Uint8Array(Float64Array.of(values[0] ?? 0).buffer);
