/**
 * Arrays that a thread uses again and again: what is fresh costs a page fault every 4 KB, more than the work on it. An array
 * that is not given back, because a query was stopped, is let go of.
 */

/** Arrays kept, and how long they may be: 4 bytes each. */
const MAX_KEPT = 2;
const MAX_LENGTH = 1 << 22;

export class Scratch {
  readonly #kept: Uint32Array<ArrayBuffer>[] = [];

  /** At least so long. What is in it is what it was given back with; 0 where nothing was. */
  take(length: number): Uint32Array<ArrayBuffer> {
    const known = this.#kept.findIndex((array) => array.length >= length);
    const [array] = known < 0 ? [] : this.#kept.splice(known, 1);
    return array ?? new Uint32Array(Math.max(length, 1 << 16));
  }

  giveBack(array: Uint32Array<ArrayBuffer>): void {
    if (array.length > MAX_LENGTH) return;
    this.#kept.push(array);
    if (this.#kept.length <= MAX_KEPT) return;
    this.#kept.sort((a, b) => b.length - a.length).length = MAX_KEPT;
  }
}
