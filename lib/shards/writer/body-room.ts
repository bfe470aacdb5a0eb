/**
 * Memory in which bodies pass from the event loop to a writer. Both have it, so a body is copied into it once and nothing is
 * handed over: buffers of their own would make both threads collect garbage for every few bodies, and the system map and clear
 * memory for each.
 */
import { bytesIn, copyParts, type Parts } from '../../base/parts.ts';
import { Ranges } from '../../primitives/ranges.ts';

/** Bytes. Those that were never used take no memory. */
const ROOM = 16 << 20;

/** Where a body is. */
export interface BodyPlace {
  readonly at: number;
  readonly length: number;
}

export class BodyRoom {
  readonly memory = new SharedArrayBuffer(ROOM);
  readonly #bytes = new Uint8Array(this.memory);
  readonly #ranges = new Ranges(0, (end) => {
    if (end > ROOM) throw new RangeError('the room for bodies is full');
  });

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

/** For the other thread: the body at a place. */
export const bodyAt = (memory: SharedArrayBuffer, { at, length }: BodyPlace): Uint8Array =>
  new Uint8Array(memory, at, length);
