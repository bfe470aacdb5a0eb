/** How often each pair of small numbers occurred. */
import { GrowableFloat64 } from '../../base/growable.ts';
import type { Budget } from '../budget.ts';
import { PairTable } from '../groups/pair-table.ts';

const BYTES_PER_COUNT = 12;

export class PairCounts {
  readonly #budget: Budget;
  readonly #pairs: PairTable;
  readonly #counts = new GrowableFloat64();

  constructor(budget: Budget) {
    this.#budget = budget;
    this.#pairs = new PairTable(budget);
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
    return this.#counts.values[pair]!;
  }

  add(first: number, second: number, times: number): void {
    const pair = this.#pairs.id(first, second);
    if (pair < this.#counts.length) {
      this.#counts.values[pair]! += times;
      return;
    }
    this.#budget.take(BYTES_PER_COUNT);
    this.#counts.push(times);
  }
}
