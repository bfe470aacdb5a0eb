/**
 * The memory of one thread that primitives work in. It never shrinks: what is given back is used again. It is of the shared kind
 * so that views of it stay good when it grows; no other thread has it.
 */
import { primitivesIn, SLACK } from './primitives.ts';
import { Ranges } from './ranges.ts';

const PAGE = 65_536;
/** Below it lies what primitives keep for themselves. */
const FIRST = PAGE;
const MOST_PAGES = 65_536;
/** Pages that the memory grows by at least. */
const STEP = 64;

/** Arrays of the memory cannot be handed to another thread, by their type and in fact. */
type InMemory = SharedArrayBuffer;
export type MemoryArray = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float64Array;

const wasm = new WebAssembly.Memory({ initial: FIRST / PAGE, maximum: MOST_PAGES, shared: true });

export const primitives = primitivesIn(wasm);
primitives.setUpUnpacking();

const ranges = new Ranges(FIRST, (end) => {
  const now = wasm.buffer.byteLength / PAGE;
  const pages = Math.ceil(end / PAGE) - now;
  if (pages > 0) wasm.grow(Math.max(pages, Math.min(STEP, MOST_PAGES - now)));
});

/** The address of so many bytes and SLACK, a multiple of 16. Throws RangeError when the memory is full. */
export function take(bytes: number): number {
  return ranges.take(bytes + SLACK);
}

/** Nobody may look at what is there any more. */
export function give(address: number): void {
  ranges.give(address);
}

/** Bytes that are taken at this moment. */
export function bytesTaken(): number {
  return ranges.taken;
}

export function bytesAt(address: number, length: number): Uint8Array<InMemory> {
  return new Uint8Array(bufferOf(wasm), address, length);
}

export function halvesAt(address: number, length: number): Uint16Array<InMemory> {
  return new Uint16Array(bufferOf(wasm), address, length);
}

export function wordsAt(address: number, length: number): Uint32Array<InMemory> {
  return new Uint32Array(bufferOf(wasm), address, length);
}

export function floatsAt(address: number, length: number): Float64Array<InMemory> {
  return new Float64Array(bufferOf(wasm), address, length);
}

/** A view of the memory of the same kind as an array; of signed words one of words. */
export function viewLike(array: MemoryArray, address: number, length: number): MemoryArray {
  if (array instanceof Float64Array) return floatsAt(address, length);
  if (array instanceof Uint8Array) return bytesAt(address, length);
  return array instanceof Uint16Array ? halvesAt(address, length) : wordsAt(address, length);
}

/** Whether an array lies in the memory: then its `byteOffset` is its address. */
export function isInMemory(array: MemoryArray): boolean {
  return array.buffer instanceof SharedArrayBuffer;
}

/** Bytes that are used again and again, by who is done with them before the next. */
export class Room {
  #address = 0;
  #bytes = 0;

  /** The address of so many bytes. What was there before is lost where there are more of them than ever. */
  of(bytes: number): number {
    if (bytes <= this.#bytes) return this.#address;
    if (this.#bytes > 0) give(this.#address);
    this.#bytes = 0;
    const room = Math.max(bytes, LEAST_ROOM);
    this.#address = take(room);
    this.#bytes = room;
    return this.#address;
  }

  /** The address of a copy of some bytes. */
  copyOf(bytes: Uint8Array): number {
    const address = this.of(bytes.length);
    bytesAt(address, bytes.length).set(bytes);
    return address;
  }
}

const LEAST_ROOM = 4_096;

/** The address of an array; of one on the heap that of a copy, in a room. */
export function addressOf(array: MemoryArray, room: Room): number {
  if (isInMemory(array)) return array.byteOffset;
  return room.copyOf(new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
}

/** As its type does not say: the buffer of shared memory. */
function bufferOf({ buffer }: WebAssembly.Memory): SharedArrayBuffer {
  if (buffer instanceof SharedArrayBuffer) return buffer;
  throw new Error('the memory of primitives is shared');
}
