/** Persons by bucket and their state in it. */
import { WORD_BITS } from '../../persons/person-masks.ts';

/** In the order of the columns. */
export const NEW = 0;
export const RETURNING = 1;
export const RESURRECTED = 2;
export const DORMANT = 3;
export const STATES = 4;

export class LifecycleStates {
  /** By bucket and state, with one more bucket: persons active in the last one would be dormant there. */
  readonly counts: Uint32Array;
  readonly #buckets: number;

  constructor(buckets: number) {
    this.#buckets = buckets;
    this.counts = new Uint32Array((Math.ceil(buckets / WORD_BITS) * WORD_BITS + 1) * STATES);
  }

  /**
   * Adds persons who were active in the buckets of a word, bit k in its k-th.
   * @param before 1: active in the bucket before the word. @param ever Active in any before it.
   */
  addWord(
    word: number,
    mask: number,
    { before, ever, persons }: { before: number; ever: boolean; persons: number },
  ): void {
    const active = (mask << 1) | before; // in the bucket before
    const first = ever ? 0 : mask & -mask;
    const at = word * WORD_BITS * STATES;
    this.#add(mask & first, at + NEW, persons);
    this.#add(mask & active, at + RETURNING, persons);
    this.#add(mask & ~active & ~first, at + RESURRECTED, persons);
    this.#add(active & ~mask, at + DORMANT, persons);
  }

  /** Once the other states are known: persons who were active in the bucket before and did not return are dormant. */
  findDormant(): void {
    const { counts } = this;
    for (let bucket = 1; bucket < this.#buckets; bucket++) {
      const before = (bucket - 1) * STATES;
      const active = counts[before + NEW]! + counts[before + RETURNING]! + counts[before + RESURRECTED]!;
      counts[bucket * STATES + DORMANT] = active - counts[bucket * STATES + RETURNING]!;
    }
  }

  /** New, returning, resurrected, dormant. */
  of(bucket: number): number[] {
    return [...this.counts.subarray(bucket * STATES, (bucket + 1) * STATES)];
  }

  #add(bits: number, at: number, persons: number): void {
    const { counts } = this;
    for (let rest = bits; rest !== 0; rest &= rest - 1) {
      counts[at + (31 - Math.clz32(rest & -rest)) * STATES]! += persons;
    }
  }
}
