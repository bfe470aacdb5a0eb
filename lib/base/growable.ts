/**
 * Typed arrays that grow by half, for columns of rows waiting to be sealed. Thousands of projects have about a hundred each,
 * mostly empty, and one takes 400 bytes besides its values: so all empty ones are the same object. Large ones are in memory that
 * threads share: to copy those of a seal took 30 MB, and forty milliseconds in which the writer acknowledged nothing.
 */
import { threshold } from './threshold.ts';

export const NO_FLOATS: Float64Array = new Float64Array(0);
export const NO_WORDS: Uint32Array = new Uint32Array(0);
export const NO_BYTES: Uint8Array = new Uint8Array(0);

const SHARED = threshold('bytes of a shared array', 64 << 10);

/** A copy with room for `length` values, cut off or followed by zeros. */
export const resizedFloats = (old: Float64Array, length: number): Float64Array => resized(Float64Array, old, length);
export const resizedWords = (old: Uint32Array, length: number): Uint32Array => resized(Uint32Array, old, length);
export const resizedBytes = (old: Uint8Array, length: number): Uint8Array => resized(Uint8Array, old, length);

function resized<Values extends Float64Array | Uint32Array | Uint8Array>(
  kind: { new (memory: ArrayBufferLike): Values; readonly BYTES_PER_ELEMENT: number },
  old: Values,
  length: number,
): Values {
  const bytes = length * kind.BYTES_PER_ELEMENT;
  const copy = new kind(bytes >= SHARED.value ? new SharedArrayBuffer(bytes) : new ArrayBuffer(bytes));
  copy.set(old.subarray(0, length));
  return copy;
}

/** Whether other threads may read an array where it is. */
const isShared = ({ buffer }: Float64Array | Uint32Array | Uint8Array): boolean => buffer instanceof SharedArrayBuffer;

/** The first values for another thread: where they are if it may read them there, else a copy, which may be transferred. */
export function handedOver<Values extends Float64Array | Uint32Array | Uint8Array>(
  values: Values,
  length: number,
): Values;
export function handedOver(
  values: Float64Array | Uint32Array | Uint8Array,
  length: number,
): Float64Array | Uint32Array | Uint8Array {
  return isShared(values) ? values.subarray(0, length) : values.slice(0, length);
}

export class GrowableUint32 {
  values: Uint32Array = NO_WORDS;
  length = 0;
  push(value: number): void {
    if (this.length === this.values.length)
      this.values = resizedWords(this.values, this.length + (this.length >>> 1) + 8);
    this.values[this.length++] = value;
  }
}

export class GrowableFloat64 {
  values: Float64Array = NO_FLOATS;
  length = 0;
  push(value: number): void {
    if (this.length === this.values.length)
      this.values = resizedFloats(this.values, this.length + (this.length >>> 1) + 8);
    this.values[this.length++] = value;
  }
}

export class GrowableUint8 {
  values: Uint8Array = NO_BYTES;
  length = 0;
  append(bytes: Uint8Array, start: number, end: number): void {
    this.reserve(end - start);
    this.values.set(bytes.subarray(start, end), this.length);
    this.length += end - start;
  }
  reserve(more: number): void {
    if (this.length + more <= this.values.length) return;
    this.values = resizedBytes(this.values, this.length + (this.length >>> 1) + more + 8);
  }
}
