/**
 * The memory of one thread in which primitives work. It never shrinks: what is given back is reused. It is shared memory so that
 * views stay valid when it grows; no other thread has it.
 */
import { primitivesIn, SLACK } from './primitives.ts';
import { Ranges } from './ranges.ts';

const PAGE = 65_536;
/** Below this is what primitives keep for themselves. */
const FIRST = PAGE;
const MOST_PAGES = 65_536;
/** Least number of pages to grow the memory by. */
const STEP = 64;

/** Arrays of the memory cannot be transferred to another thread, nor does their type allow it. */
type InMemory = SharedArrayBuffer;
export type MemoryArray = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float64Array;

const wasm = new WebAssembly.Memory({ initial: FIRST / PAGE, maximum: MOST_PAGES, shared: true });

export const primitives = primitivesIn(wasm);
primitives.setUpUnpacking();

/** All of it; another object once it has grown. Views of earlier ones stay valid, and are few. */
let buffer = wasm.buffer;
const earlier = new WeakSet<ArrayBufferLike>();

const ranges = new Ranges(FIRST, (end) => {
  const now = buffer.byteLength / PAGE;
  const pages = Math.ceil(end / PAGE) - now;
  if (pages <= 0) return;
  wasm.grow(Math.max(pages, Math.min(STEP, MOST_PAGES - now)));
  earlier.add(buffer);
  buffer = wasm.buffer;
});

/** Address of so many bytes plus SLACK, a multiple of 16. Throws RangeError when the memory is full. */
export function take(bytes: number): number {
  return ranges.take(bytes + SLACK);
}

/** From now on nobody may read what is there. */
export function give(address: number): void {
  ranges.give(address);
}

export function bytesTaken(): number {
  return ranges.taken;
}

/** Bytes of the memory, also those that nobody has now. */
export function bytesKept(): number {
  return buffer.byteLength;
}

export function memoryAt(address: number, length: number): Uint8Array<InMemory> {
  return new Uint8Array(buffer, address, length);
}

export function halvesAt(address: number, length: number): Uint16Array<InMemory> {
  return new Uint16Array(buffer, address, length);
}

export function wordsAt(address: number, length: number): Uint32Array<InMemory> {
  return new Uint32Array(buffer, address, length);
}

export function floatsAt(address: number, length: number): Float64Array<InMemory> {
  return new Float64Array(buffer, address, length);
}

/** A view of the memory of the same kind as an array, but unsigned words for signed ones. */
export function viewLike(array: MemoryArray, address: number, length: number): MemoryArray {
  if (array instanceof Float64Array) return floatsAt(address, length);
  if (array instanceof Uint8Array) return memoryAt(address, length);
  return array instanceof Uint16Array ? halvesAt(address, length) : wordsAt(address, length);
}

/** A copy of an array on the heap. By a constructor: `slice` takes five times as long for shared bytes. */
export function heapCopy<A extends MemoryArray>(array: A): A {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- copyOf makes one of the same kind
  return copyOf(array) as A;
}

function copyOf(array: MemoryArray): MemoryArray {
  if (array instanceof Float64Array) return new Float64Array(array);
  if (array instanceof Uint8Array) return new Uint8Array(array);
  if (array instanceof Uint16Array) return new Uint16Array(array);
  return array instanceof Int32Array ? new Int32Array(array) : new Uint32Array(array);
}

/** Whether an array is in the memory; then its `byteOffset` is its address. Other memory may be shared, too. */
export function isInMemory(array: MemoryArray): boolean {
  return array.buffer === buffer || earlier.has(array.buffer);
}

/** Reusable bytes: each user is done with them before the next. */
export class Scratch {
  #address = 0;
  #bytes = 0;

  /** Address of so many bytes. Loses the former content when it needs more than ever before. */
  of(bytes: number): number {
    if (bytes <= this.#bytes) return this.#address;
    if (this.#bytes > 0) give(this.#address);
    this.#bytes = 0;
    const room = Math.max(bytes, LEAST_ROOM);
    this.#address = take(room);
    this.#bytes = room;
    return this.#address;
  }

  /** Address of a copy of some bytes. */
  copyOf(bytes: Uint8Array): number {
    const address = this.of(bytes.length);
    memoryAt(address, bytes.length).set(bytes);
    return address;
  }
}

const LEAST_ROOM = 4_096;

/** Address of an array; of one on the heap, the address of a copy in a room. */
export function addressOfArray(array: MemoryArray, room: Scratch): number {
  if (isInMemory(array)) return array.byteOffset;
  return room.copyOf(new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
}

/**
 * Arrays in the memory that are given back together: for work that needs many, and none when it is done. Lengths count values. What
 * takes memory throws RangeError when that is full. Nobody may use an array once the lease has ended.
 */
export class Lease {
  readonly #taken = new Set<number>();

  /** Address of so many bytes, which contain whatever was last written there. */
  take(bytes: number): number {
    const address = take(bytes);
    this.#taken.add(address);
    return address;
  }

  /** Gives back before the lease ends. */
  give(address: number): void {
    if (this.#taken.delete(address)) give(address);
  }

  /** So many words, with whatever was there before. */
  words(count: number): Uint32Array {
    return wordsAt(this.take(count * 4), count);
  }

  /** The same of zeros. */
  noWords(count: number): Uint32Array {
    return this.words(count).fill(0);
  }

  bytes(count: number): Uint8Array {
    return memoryAt(this.take(count), count);
  }

  halves(count: number): Uint16Array {
    return halvesAt(this.take(count * 2), count);
  }

  floats(count: number): Float64Array {
    return floatsAt(this.take(count * 8), count);
  }

  /** The array itself if it is in the memory, else a copy there. */
  hold<A extends MemoryArray>(array: A): A {
    if (isInMemory(array)) return array;
    const copy = viewLike(array, this.take(array.byteLength), array.length);
    copy.set(array);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- viewLike makes one of the same kind
    return copy as A;
  }

  /** `values[rows[i]]`; the rows are in the memory. */
  gather<A extends Uint8Array | Uint16Array | Uint32Array | Float64Array>(values: A, rows: Uint32Array): A {
    using own = new Lease();
    const from = own.hold(values);
    const out = viewLike(from, this.take(from.BYTES_PER_ELEMENT * rows.length), rows.length);
    primitives.gather(from.byteOffset, from.BYTES_PER_ELEMENT, rows.byteOffset, rows.length, out.byteOffset);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- viewLike makes one of the same kind
    return out as A;
  }

  [Symbol.dispose](): void {
    for (const address of this.#taken) give(address);
    this.#taken.clear();
  }
}
