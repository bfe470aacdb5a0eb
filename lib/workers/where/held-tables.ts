/** The test tables that a part needs for one segment: kept until it is read, whatever else the thread keeps or drops. */
import type { Test } from '../../dsl/plan/plan.ts';
import type { Budget } from '../budget.ts';
import type { ValueDictionary } from '../rows/field-column.ts';
import type { Tables, TestTable } from './test-tables.ts';

export class HeldTables implements Tables {
  readonly #tables: Tables;
  readonly #budget: Budget;
  readonly #held = new Map<string, { readonly table: TestTable; readonly bytes: number }>();
  #bytes = 0;

  constructor(tables: Tables, budget: Budget) {
    this.#tables = tables;
    this.#budget = budget;
  }

  of(test: Test, dictionary: ValueDictionary, checkpoint: () => void): TestTable {
    const name = `${JSON.stringify(test)} ${dictionary.key}`;
    const held = this.#held.get(name);
    if (held !== undefined && held.table.size >= dictionary.size) return held.table; // it may have room for more
    const table = this.#tables.of(test, dictionary, checkpoint);
    const bytes = table.passes.length;
    this.#budget.take(bytes - (held?.bytes ?? 0));
    this.#bytes += bytes - (held?.bytes ?? 0);
    this.#held.set(name, { table, bytes });
    return table;
  }

  release(): void {
    this.#held.clear();
    this.#budget.release(this.#bytes);
    this.#bytes = 0;
  }
}
