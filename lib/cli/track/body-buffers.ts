/** Buffers for bodies, used again: a new one for each would cost more garbage collection than its lines cost to read. */

const USUAL = 32_768; // bytes; a hundred ordinary events
/** Larger buffers, and more of them, are left to the garbage collector. */
const MOST_KEPT = 1_048_576; // bytes, of one
const MOST = 20;

export class BodyBuffers {
  readonly #free: Buffer[] = [];

  /** A buffer with whatever is in it. */
  take(): Buffer {
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(USUAL);
  }

  /** The same with more room, for one that is full up to `end`. */
  larger(buffer: Buffer, end: number, bytes: number): Buffer {
    const larger = Buffer.allocUnsafeSlow(Math.max(2 * buffer.length, end + bytes));
    buffer.copy(larger, 0, 0, end);
    this.give(buffer);
    return larger;
  }

  /** Takes back a buffer that nobody reads any more. */
  give(buffer: Buffer): void {
    const isKept = buffer.length >= USUAL && buffer.length <= MOST_KEPT;
    if (isKept && this.#free.length < MOST) this.#free.push(buffer);
  }
}
