/** Pairs of small numbers → ids in order of appearance: open addressing in typed arrays. */
import type { Budget } from '../budget.ts';

const FIRST = 1_024;
const BYTES_PER_SLOT = 12; // two slots a pair: an id and half of the pair, and half as much again while it grows

export class PairTable {
  readonly #budget: Budget;
  #places = new Int32Array(FIRST * 2).fill(-1);
  #mask = FIRST * 2 - 1;
  #firsts = new Uint32Array(FIRST);
  #seconds = new Uint32Array(FIRST);
  size = 0;

  constructor(budget: Budget) {
    this.#budget = budget;
    budget.take(FIRST * 2 * BYTES_PER_SLOT);
  }

  /** The id of a pair, added if it is new. Ids start at 0. */
  id(first: number, second: number): number {
    let at = hash(first, second) & this.#mask;
    for (let id = this.#places[at]!; id >= 0; id = this.#places[at]!) {
      if (this.#firsts[id] === first && this.#seconds[id] === second) return id;
      at = (at + 1) & this.#mask;
    }
    return this.#add(first, second, at);
  }

  first(id: number): number {
    return this.#firsts[id]!;
  }
  second(id: number): number {
    return this.#seconds[id]!;
  }
  /** First parts by id: a view, valid until the next pair is added. */
  firsts(): Uint32Array {
    return this.#firsts.subarray(0, this.size);
  }
  seconds(): Uint32Array {
    return this.#seconds.subarray(0, this.size);
  }

  /** Releases the memory; the table must not be used afterwards. */
  release(): void {
    this.#budget.release(this.#firsts.length * 2 * BYTES_PER_SLOT);
  }

  #add(first: number, second: number, at: number): number {
    const id = this.size++;
    this.#places[at] = id;
    this.#firsts[id] = first;
    this.#seconds[id] = second;
    if (this.size === this.#firsts.length) this.#grow();
    return id;
  }

  #grow(): void {
    const capacity = this.size * 2;
    this.#budget.take(this.size * 2 * BYTES_PER_SLOT);
    this.#firsts = grown(this.#firsts, capacity);
    this.#seconds = grown(this.#seconds, capacity);
    this.#places = new Int32Array(capacity * 2).fill(-1);
    this.#mask = capacity * 2 - 1;
    for (let id = 0; id < this.size; id++) {
      let at = hash(this.#firsts[id]!, this.#seconds[id]!) & this.#mask;
      while (this.#places[at]! >= 0) at = (at + 1) & this.#mask;
      this.#places[at] = id;
    }
  }
}

function grown(old: Uint32Array, length: number): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(length);
  larger.set(old);
  return larger;
}

function hash(first: number, second: number): number {
  let h = Math.imul(first, 0x9e3779b1) ^ Math.imul(second, 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d);
  return (h ^ (h >>> 13)) >>> 0;
}
