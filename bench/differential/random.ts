/** Choices that look random but are the same for the same seed, and what they choose from. */
import type { Vocabulary } from './vocabulary.ts';

export class Random {
  readonly words: Vocabulary;
  #state: number;

  constructor(seed: number, words: Vocabulary) {
    this.#state = seed >>> 0;
    this.words = words;
  }

  /** A number from 0 to below 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from `from` to `to`, both inclusive. */
  whole(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1));
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  one<const T extends readonly [unknown, ...unknown[]]>(of: T): T[number] {
    return of[this.whole(0, of.length - 1)] ?? of[0];
  }

  /** `count` different ones, in random order. */
  some<T>(of: readonly T[], count: number): T[] {
    const left = [...of];
    const taken: T[] = [];
    while (taken.length < count && left.length > 0) taken.push(...left.splice(this.whole(0, left.length - 1), 1));
    return taken;
  }
}
