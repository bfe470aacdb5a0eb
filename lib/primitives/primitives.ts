/**
 * The primitives of the engine: what wasm/ compiles to, and what each does. They know addresses in the memory of the thread and
 * trust what they are told; arrays are followed by SLACK bytes that may be read.
 */
import { readFileSync } from 'node:fs';

/** Bytes behind an array that a primitive may read, and behind an array that it makes that it may write. */
export const SLACK = 16;

/** Bytes of a code: what its column's largest needs. */
export type CodeSize = 1 | 2 | 4;

export interface Primitives {
  /** Once per memory. */
  setUpUnpacking(): void;
  /**
   * An upper bound of the integers of an encoded column; -1 where it is damaged: cut off, or with widths that there are not.
   * @param length Bytes of the column.
   */
  boundOfIntegers(column: number, length: number): number;
  /**
   * An encoded column → its integers, whole blocks of 256. Returns how many are meant.
   * @param size Bytes of each: at least what `boundOfIntegers` needs.
   */
  unpackIntegers(column: number, out: number, size: CodeSize): number;
  /** The largest of some integers; 0 of none. */
  largest(values: number, size: CodeSize, count: number): number;
  /** Differences of 0 and more (words) → 64-bit floats that begin with `first`. */
  sumRising(differences: number, count: number, first: number, out: number): void;
  /** Zigzagged differences less one (words) → 64-bit floats that begin with `first`. */
  sumNearlyConsecutive(differences: number, count: number, first: number, out: number): void;
  /** Differences → ascending rows, in their place (words). */
  sumRows(rows: number, count: number): void;
  /** `out[i] = (base + offsets[i]) / scale`: words → 64-bit floats. */
  scaleNumbers(offsets: number, count: number, base: number, scale: number, out: number): void;
}

let compiled: WebAssembly.Module | null = null;

/** Throws where the machine, or this build of Node, has no SIMD. */
export function primitivesIn(memory: WebAssembly.Memory): Primitives {
  compiled ??= compile();
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a test holds the two together
  return new WebAssembly.Instance(compiled, { env: { memory } }).exports as unknown as Primitives;
}

function compile(): WebAssembly.Module {
  const bytes = readFileSync(new URL('./primitives.wasm', import.meta.url));
  if (WebAssembly.validate(bytes)) return new WebAssembly.Module(bytes);
  throw new Error('Windlass needs WebAssembly with SIMD and threads, which this machine or this build of Node lacks');
}
