/** Columns of 64-bit floats as bytes: as integers over a power of ten if that restores every bit, else unchanged. */
import { FLOATS, makeColumn } from '../../../primitives/columns.ts';
import { floatsAt, primitives } from '../../../primitives/memory.ts';
import { decodeIntegersBriefly, encodeIntegers } from './integers.ts';
import { joinSections, splitSections } from './sections.ts';

const RAW = 255; // in place of the exponent
const MAX_EXPONENT = 4;

export function encodeNumbers(values: Float64Array): Uint8Array {
  for (let exponent = 0; exponent <= MAX_EXPONENT; exponent++) {
    const scaled = scaleTo(values, exponent);
    if (scaled)
      return joinSections([
        Uint8Array.of(exponent),
        new Uint8Array(Float64Array.of(scaled.base).buffer),
        encodeIntegers(scaled.offsets),
      ]);
  }
  const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  return joinSections([Uint8Array.of(RAW), bytes]);
}

export function decodeNumbers(bytes: Uint8Array): Float64Array {
  const [head, first, packed] = splitSections(bytes);
  if (head![0] === RAW) {
    const raw = new Float64Array(first!.buffer, first!.byteOffset, first!.byteLength >>> 3);
    return makeColumn(FLOATS, { room: raw.length, length: raw.length }, (out) => floatsAt(out, raw.length).set(raw));
  }
  const base = new Float64Array(first!.buffer, first!.byteOffset, 1)[0]!;
  const scale = 10 ** head![0]!;
  const { byteOffset, length } = decodeIntegersBriefly(packed!);
  return makeColumn(FLOATS, { room: length, length }, (out) =>
    primitives.scaleNumbers(byteOffset, length, base, scale, out),
  );
}

/** The values times 10^exponent, as offsets from the smallest; null if one would not be restored exactly. */
function scaleTo(values: Float64Array, exponent: number): { base: number; offsets: Uint32Array } | null {
  const scale = 10 ** exponent;
  let base = Infinity;
  let top = -Infinity;
  for (let i = 0; i < values.length; i++) {
    const scaled = Math.round(values[i]! * scale);
    if (scaled / scale !== values[i]! || Math.abs(scaled) > Number.MAX_SAFE_INTEGER) return null;
    if (scaled < base) base = scaled;
    if (scaled > top) top = scaled;
  }
  if (top - base > 0xffffffff) return null;
  const offsets = new Uint32Array(values.length);
  for (let i = 0; i < values.length; i++) offsets[i] = Math.round(values[i]! * scale) - base;
  return { base: values.length ? base : 0, offsets };
}
