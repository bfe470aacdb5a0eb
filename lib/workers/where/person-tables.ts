/** Sets of persons that conditions ask for, in the memory of the thread that tests rows by them. */
import { kept } from '../../base/kept.ts';
import { didKey, type DidField } from '../../dsl/plan/did.ts';
import type { Test } from '../../dsl/plan/plan.ts';
import { memoryAt } from '../../primitives/memory.ts';
import type { RowContext } from '../query-context.ts';

/** Of whom a condition is true, by person: a byte for each, 1 or 0. It is computed once a query, and all of its parts share it. */
export interface PersonSet {
  /** That of the condition. */
  readonly key: string;
  readonly passes: Uint8Array<SharedArrayBuffer>;
}

export class PersonTables {
  readonly #sets: readonly PersonSet[];
  readonly #owner: Pick<RowContext, 'budget' | 'memory'>;
  readonly #size: () => number;
  readonly #tables = new Map<string, Uint8Array>();

  /** @param size All persons are below this: of those that came after a set was made, the condition is as of nobody. */
  constructor(sets: readonly PersonSet[], owner: Pick<RowContext, 'budget' | 'memory'>, size: () => number) {
    this.#sets = sets;
    this.#owner = owner;
    this.#size = size;
    for (const { passes } of sets) owner.budget.take(passes.length);
  }

  /** Indexed by person. */
  of(field: DidField, test: Test): Uint8Array {
    const key = didKey(field, test);
    return kept(this.#tables, key, () => this.#load(key));
  }

  #load(key: string): Uint8Array {
    const set = this.#sets.find((one) => one.key === key);
    if (set === undefined) throw new Error('a condition on persons whose set is missing');
    const { passes } = set;
    const size = Math.max(passes.length, this.#size());
    this.#owner.budget.take(size);
    const table = memoryAt(this.#owner.memory.take(size), size);
    table.set(passes);
    table.fill(passes[0]!, passes.length);
    return table;
  }
}
