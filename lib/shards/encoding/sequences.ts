/** Times and arrival numbers of rows as bytes: the first, then differences. */
import { decodeIntegersBriefly, encodeIntegers } from './integers.ts';
import { joinSections, splitSections } from './sections.ts';

const RAW = 0;
const RISING = 1; // differences of 0 and more
const NEARLY_CONSECUTIVE = 2; // differences less 1, zigzag: all zero where numbers follow each other

/** Whole numbers that never fall (times, milliseconds). */
export function encodeRising(values: Float64Array): Uint8Array {
  const differences = new Uint32Array(values.length);
  for (let i = 1; i < values.length; i++) {
    const difference = values[i]! - values[i - 1]!;
    if (!(difference >= 0 && difference <= 0xffffffff)) return raw(values);
    differences[i] = difference;
  }
  return joinSections([Uint8Array.of(RISING), first(values), encodeIntegers(differences)]);
}

/** Whole numbers of which most are one more than the one before (arrivals in order of time). */
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
  return decodeSequenceInto(bytes, (length) => new Float64Array(length));
}

/** As `decodeSequence`, into an array that `room` gives, which may be longer. */
export function decodeSequenceInto(bytes: Uint8Array, room: (length: number) => Float64Array): Float64Array {
  const [kind, head, packed] = splitSections(bytes);
  const start = new Float64Array(head!.buffer, head!.byteOffset, head!.byteLength >>> 3);
  if (kind![0] === RAW) return start.slice();
  const { values, count } = decodeIntegersBriefly(packed!);
  const out = room(count);
  let at = start[0] ?? 0;
  if (kind![0] === RISING) for (let i = 0; i < count; i++) out[i] = at += values[i]!;
  else {
    if (count > 0) out[0] = at;
    for (let i = 1; i < count; i++) {
      const zigzag = values[i]!;
      at += 1 + ((zigzag >>> 1) ^ -(zigzag & 1));
      out[i] = at;
    }
  }
  return out;
}

const raw = (values: Float64Array): Uint8Array =>
  joinSections([Uint8Array.of(RAW), new Uint8Array(values.buffer, values.byteOffset, values.byteLength)]);
const first = (values: Float64Array): Uint8Array => new Uint8Array(Float64Array.of(values[0] ?? 0).buffer);
