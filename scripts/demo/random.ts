/** Seeded draws: the same seed and purpose give the same numbers on every machine. */

/** A generator of 32-bit numbers (sfc32): small, fast, and good enough for realistic data. */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  /** `purpose` separates streams of one seed, so that drawing more from one does not shift the others. */
  constructor(seed: number, purpose: string) {
    let hash = 0x811c9dc5 ^ seed;
    for (const letter of purpose) hash = Math.imul(hash ^ letter.charCodeAt(0), 0x01000193);
    this.#a = hash;
    this.#b = seed;
    this.#c = Math.imul(hash, 0x9e3779b1);
    for (let warmUp = 0; warmUp < 16; warmUp++) this.next();
  }

  /** A whole number from 0 to 2^32 - 1. */
  next(): number {
    const sum = (this.#a + this.#b + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + sum;
    return sum >>> 0;
  }

  /** From 0 (included) to 1 (excluded). */
  unit(): number {
    return this.next() / 4_294_967_296;
  }

  /** A whole number below `limit`. */
  below(limit: number): number {
    return Math.floor(this.unit() * limit);
  }

  /** Exponentially distributed around a mean. */
  exponential(mean: number): number {
    return -Math.log(1 - this.unit()) * mean;
  }
}

/** Draws one of `choices` in proportion to its weight, by one look-up. */
export class Choice<T> {
  readonly #slots: readonly T[];

  constructor(weights: readonly (readonly [T, number])[]) {
    const SLOTS = 8192; // weights are accurate to 0.0001
    const total = weights.reduce((sum, [, weight]) => sum + weight, 0);
    const slots: T[] = [];
    let upTo = 0;
    for (const [value, weight] of weights) {
      upTo += weight;
      const end = Math.round((upTo / total) * SLOTS);
      while (slots.length < end) slots.push(value);
    }
    this.#slots = slots;
  }

  draw(random: Random): T {
    return this.#slots[random.below(this.#slots.length)]!;
  }
}
