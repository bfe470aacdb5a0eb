/** Arrays in the thread's memory that are given back together: for work that needs many, and none when it is done. */
import { bytesAt, floatsAt, give, halvesAt, isInMemory, take, viewLike, wordsAt, type MemoryArray } from './memory.ts';

/** Lengths count values. What takes memory throws RangeError when that is full. Nobody may use an array once the lease has ended. */
export class Lease {
  readonly #taken: number[] = [];

  /** So many words, with whatever was there before. */
  words(count: number): Uint32Array {
    return wordsAt(this.#take(count * 4), count);
  }

  /** The same of zeros. */
  noWords(count: number): Uint32Array {
    return this.words(count).fill(0);
  }

  bytes(count: number): Uint8Array {
    return bytesAt(this.#take(count), count);
  }

  halves(count: number): Uint16Array {
    return halvesAt(this.#take(count * 2), count);
  }

  floats(count: number): Float64Array {
    return floatsAt(this.#take(count * 8), count);
  }

  /** The array itself if it is in the memory, else a copy there. */
  hold<A extends MemoryArray>(array: A): A {
    if (isInMemory(array)) return array;
    const copy = viewLike(array, this.#take(array.byteLength), array.length);
    copy.set(array);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- viewLike makes one of the same kind
    return copy as A;
  }

  [Symbol.dispose](): void {
    for (const address of this.#taken.splice(0)) give(address);
  }

  #take(bytes: number): number {
    const address = take(bytes);
    this.#taken.push(address);
    return address;
  }
}
