/**
 * Arrays of words that are all 0, kept between the queries of a thread, as sets and counts of other queries need the same
 * lengths: exactly these, and dozens of them, which the few arrays of any length of `Scratch` are not. Without them each query
 * would leave megabytes to the garbage collector, which then stops the next ones.
 */

/** Bytes that are kept. */
const MOST = 1 << 24;

export class ZeroedArrays {
  readonly #kept = new Map<number, Uint32Array<ArrayBuffer>[]>();
  #bytes = 0;

  /** An array of exactly so many words. */
  take(words: number): Uint32Array<ArrayBuffer> {
    const known = this.#kept.get(words)?.pop();
    if (known === undefined) return new Uint32Array(words);
    this.#bytes -= known.byteLength;
    return known;
  }

  /** Nobody may use the array any more. */
  giveBack(array: Uint32Array<ArrayBuffer>): void {
    if (array.byteLength > MOST) return;
    if (this.#bytes + array.byteLength > MOST) this.#forget();
    const same = this.#kept.get(array.length);
    if (same === undefined) this.#kept.set(array.length, [array.fill(0)]);
    else same.push(array.fill(0));
    this.#bytes += array.byteLength;
  }

  #forget(): void {
    this.#kept.clear();
    this.#bytes = 0;
  }
}
