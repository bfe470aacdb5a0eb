/**
 * Columns in the thread's memory. They are immutable, and a running query may read them until it ends. So they are only put there
 * while somebody holds the memory, and what a cache drops is reused once everyone who held it at that time has released it.
 * Outside of holds, and beyond their limit, columns are ordinary arrays on the heap.
 */
import { threshold } from '../base/threshold.ts';
import {
  addressOfArray,
  memoryAt,
  floatsAt,
  give,
  halvesAt,
  heapCopy,
  isInMemory,
  Lease,
  primitives,
  Scratch,
  take,
  wordsAt,
  type MemoryArray,
} from './memory.ts';
import type { CodeSize } from './primitives.ts';

/** Bytes of lists that a query keeps until it ends. Further ones are on the heap, which clears each page for them, but ends them earlier. */
const MOST_LISTS = threshold('bytes of lists in the memory', 32 << 20);

/** Held by a running query: columns that it has seen stay as they are, and it may take memory of its own. */
export class Hold extends Lease {
  #lists = 0;

  constructor() {
    super();
    holds.set(this, ++moments);
  }

  integers(count: number): Int32Array {
    const { buffer, byteOffset } = this.words(count);
    return new Int32Array(buffer, byteOffset, count);
  }

  /** A list of rows, or of numbers beside it, of one segment: a query over years makes many of them. */
  list(count: number): Uint32Array {
    return this.#keepsList(count * 4) ? this.words(count) : new Uint32Array(count);
  }

  listOfFloats(count: number): Float64Array {
    return this.#keepsList(count * 8) ? this.floats(count) : new Float64Array(count);
  }

  /** Gives back everything taken. May be called again. */
  override [Symbol.dispose](): void {
    super[Symbol.dispose]();
    this.#lists = 0;
    if (holds.delete(this)) giveRetired();
  }

  #keepsList(bytes: number): boolean {
    if (this.#lists + bytes > MOST_LISTS.value) return false;
    this.#lists += bytes;
    return true;
  }
}

/** A kind of array: bytes per value, and a view of the memory. */
export interface ColumnKind<A extends MemoryArray> {
  readonly size: number;
  at(address: number, length: number): A;
}

export const BYTES: ColumnKind<Uint8Array> = { size: 1, at: memoryAt };
export const HALVES: ColumnKind<Uint16Array> = { size: 2, at: halvesAt };
export const WORDS: ColumnKind<Uint32Array> = { size: 4, at: wordsAt };
export const FLOATS: ColumnKind<Float64Array> = { size: 8, at: floatsAt };

/** How many values `fill` writes, and how many of them the column has. */
export interface ColumnLength {
  readonly room: number;
  readonly length: number;
}

/** Both in the order of their moments. */
const holds = new Map<Hold, number>();
const retired: { readonly address: number; readonly moment: number }[] = [];
const columns = new Map<number, number>();
let moments = 0;
let columnBytes = 0;
let columnLimit = Infinity;
const passage = new Scratch();

export function limitColumns(bytes: number): void {
  columnLimit = bytes;
}

export function bytesOfColumns(): number {
  return columnBytes;
}

/** A column that `fill` writes to an address: it stays in the memory, or is copied to the heap if it may not. */
export function makeColumn<A extends MemoryArray>(
  kind: ColumnKind<A>,
  { room, length }: ColumnLength,
  fill: (address: number) => void,
): A {
  const bytes = room * kind.size;
  if (holds.size === 0 || columnBytes + bytes > columnLimit) {
    const address = passage.of(bytes);
    fill(address);
    return heapCopy(kind.at(address, length));
  }
  const address = take(bytes);
  columns.set(address, bytes);
  columnBytes += bytes;
  fill(address);
  return kind.at(address, length);
}

type Codes = Uint8Array | Uint16Array | Uint32Array;

/** The largest of some codes; 0 if there are none. */
export function largestOf(codes: Codes): number {
  const size = codeSize(codes);
  let most = 0;
  forPieces(codes, (address, count) => (most = Math.max(most, primitives.largest(address, size, count))));
  return most;
}

/** The least of some codes but 0; 0 if there is none. */
export function leastOfSome(codes: Codes): number {
  const size = codeSize(codes);
  let least = 0;
  forPieces(codes, (address, count) => {
    const own = primitives.leastSome(address, size, count);
    if (own !== 0 && (least === 0 || own < least)) least = own;
  });
  return least;
}

/** Codes that are copied at once: they stay in a processor's cache. */
const PIECE = threshold('codes copied at once', 16_384, { least: 1 });
const piece = new Scratch();

/** Codes on the heap come piece by piece: a loop over them takes V8 ten times as long until it has compiled it. */
function forPieces(codes: Codes, use: (address: number, count: number) => void): void {
  if (isInMemory(codes)) return use(codes.byteOffset, codes.length);
  for (let at = 0; at < codes.length; at += PIECE.value) {
    const some = codes.subarray(at, at + PIECE.value);
    use(addressOfArray(some, piece), some.length);
  }
}

/** Bytes per code. */
export function codeSize(codes: Codes): CodeSize {
  if (codes instanceof Uint8Array) return 1;
  return codes instanceof Uint16Array ? 2 : 4;
}

/** Called when a cache drops columns: their memory is reused once nobody can see it any more. */
export function retireColumns(arrays: readonly MemoryArray[]): void {
  for (const array of arrays) {
    if (isInMemory(array) && columns.has(array.byteOffset))
      retired.push({ address: array.byteOffset, moment: moments });
  }
  giveRetired();
}

function giveRetired(): void {
  const [oldest = Infinity] = holds.values();
  const kept = retired.findIndex(({ moment }) => moment >= oldest);
  for (const { address } of retired.splice(0, kept < 0 ? retired.length : kept)) {
    columnBytes -= columns.get(address)!;
    columns.delete(address);
    give(address);
  }
}
