/** How often each pair of small numbers occurred. */
import type { Budget } from '../budget.ts';
import { PairTable } from '../groups/pair-table.ts';

const FIRST = 1_024;

export class PairCounts {
  readonly #budget: Budget;
  readonly #pairs: PairTable;
  #counts = new Float64Array(FIRST);

  constructor(budget: Budget) {
    this.#budget = budget;
    this.#pairs = new PairTable(budget);
    budget.take(this.#counts.byteLength);
  }

  /** Pairs are numbered from 0. */
  get size(): number {
    return this.#pairs.size;
  }

  first(pair: number): number {
    return this.#pairs.first(pair);
  }
  second(pair: number): number {
    return this.#pairs.second(pair);
  }
  count(pair: number): number {
    return this.#counts[pair]!;
  }

  add(first: number, second: number, times: number): void {
    const pair = this.#pairs.id(first, second);
    if (pair >= this.#counts.length) this.#grow();
    this.#counts[pair]! += times;
  }

  /** Releases the memory; it must not be used afterwards. */
  release(): void {
    this.#pairs.release();
    this.#budget.release(this.#counts.byteLength);
  }

  #grow(): void {
    const old = this.#counts;
    this.#budget.take(old.byteLength);
    this.#counts = new Float64Array(old.length * 2);
    this.#counts.set(old);
  }
}
