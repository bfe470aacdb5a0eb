/** The tables of tests that a part needs for one segment: kept until it is read, whatever else the thread keeps or forgets. */
import type { Test } from '../../dsl/plan.ts';
import type { Budget } from '../budget.ts';
import type { Codebook } from '../rows/field-column.ts';
import type { Tables, TestTable } from './test-tables.ts';

export class HeldTables implements Tables {
  readonly #tables: Tables;
  readonly #budget: Budget;
  readonly #held = new Map<string, TestTable>();
  #bytes = 0;

  constructor(tables: Tables, budget: Budget) {
    this.#tables = tables;
    this.#budget = budget;
  }

  of(test: Test, book: Codebook, checkpoint: () => void): TestTable {
    const name = `${JSON.stringify(test)} ${book.key}`;
    const held = this.#held.get(name);
    if (held !== undefined && held.passes.length > book.size) return held;
    const made = this.#tables.of(test, book, checkpoint);
    const bytes = made.passes.length - (held?.passes.length ?? 0);
    this.#budget.take(bytes);
    this.#bytes += bytes;
    this.#held.set(name, made);
    return made;
  }

  release(): void {
    this.#held.clear();
    this.#budget.release(this.#bytes);
    this.#bytes = 0;
  }
}
