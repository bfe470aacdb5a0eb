/**
 * Memory in which bodies pass from the event loop to a writer: a part of the memory of primitives of the writer's thread, so a
 * body is copied there once and scanned where it is. Buffers of their own would make both threads collect garbage for every few
 * bodies, and the system map and clear memory for each.
 */
import { bytesIn, copyParts, type Parts } from '../../base/parts.ts';
import { Ranges } from '../../primitives/ranges.ts';

/** What the event loop must know of the writer's memory. */
export interface LentRoom {
  readonly memory: SharedArrayBuffer;
  /** Address of the room, and its size. */
  readonly from: number;
  readonly bytes: number;
}

/** Where a body is in the writer's memory. */
export interface BodyPlace {
  readonly at: number;
  readonly length: number;
}

export class BodyRoom {
  readonly #bytes: Uint8Array;
  readonly #ranges: Ranges;

  constructor({ memory, from, bytes }: LentRoom) {
    this.#bytes = new Uint8Array(memory);
    this.#ranges = new Ranges(from, (end) => {
      if (end > from + bytes) throw new RangeError('the room for bodies is full');
    });
  }

  /** Copies a body; null if there is no room for it. Give it back when the writer has answered. */
  keep(body: Parts): BodyPlace | null {
    const length = bytesIn(body);
    const at = this.#find(length);
    if (at === null) return null;
    copyParts(body, this.#bytes, at);
    return { at, length };
  }

  give({ at }: BodyPlace): void {
    this.#ranges.give(at);
  }

  #find(bytes: number): number | null {
    try {
      return this.#ranges.take(bytes);
    } catch (error) {
      if (error instanceof RangeError) return null;
      throw error;
    }
  }
}
