/**
 * What waits for an answer, by a number that is used again once it came: a Map would keep garbage alive (linked-list.ts).
 */
export class Pending<T> {
  /** By number, less one. */
  readonly #waiting: (T | null)[] = [];
  readonly #free: number[] = [];

  /** Its number, from 1. */
  add(waiting: T): number {
    const number = this.#free.pop() ?? this.#waiting.length + 1;
    this.#waiting[number - 1] = waiting;
    return number;
  }

  /** What waited under a number, which is free then; null: nothing did. */
  take(number: number): T | null {
    const waiting = this.#waiting[number - 1] ?? null;
    if (waiting === null) return null;
    this.#waiting[number - 1] = null;
    this.#free.push(number);
    return waiting;
  }

  /** Takes everything. */
  takeAll(): T[] {
    const all = this.#waiting.filter((waiting) => waiting !== null);
    this.#waiting.length = 0;
    this.#free.length = 0;
    return all;
  }
}
