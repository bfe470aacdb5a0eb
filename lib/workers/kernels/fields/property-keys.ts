/** Which property keys the events of each type have, null or not. */
import { OVERFLOW, type Column, type Segment } from '../../../shards/shard-reader.ts';
import type { Budget } from '../../budget.ts';
import type { Positions } from '../../groups/positions.ts';
import type { QueryContext } from '../../query-context.ts';
import { parseObject } from '../../rows/json-path.ts';

const BYTES_PER_KEY = 100;

export class PropertyKeys {
  readonly #budget: Budget;
  /** By code of the event type. */
  readonly #keys = new Map<number, Set<string>>();

  constructor(budget: Budget) {
    this.#budget = budget;
  }

  /** How many keys the events of a type have. */
  count(type: number): number {
    return this.#keys.get(type)?.size ?? 0;
  }

  add(segment: Segment, positions: Positions, context: QueryContext): void {
    const types = segment.column('event_type')?.codes;
    if (!types || positions.spans.length === 0) return;
    const present = segment.types.codes;
    for (const name of segment.columnKeys()) {
      if (!name.startsWith('p:')) continue;
      context.checkpoint();
      const key = name.slice(2);
      // After the first segment most keys are known for every type: their columns are not read again.
      if (key !== OVERFLOW && present.every((type) => this.#keys.get(type)?.has(key))) continue;
      const column = segment.column(name);
      if (column !== null) this.#addColumn(key, column, types, positions);
    }
  }

  #addColumn(key: string, column: Column, types: ArrayLike<number>, positions: Positions): void {
    const { codes, dictionary, numbers } = column;
    if (codes !== null && dictionary !== null) {
      const keysOf =
        key === OVERFLOW ? (code: number) => Object.keys(parseObject(dictionary.text(code))) : (): string[] => [key];
      this.#addCodes(codes, { size: dictionary.size, keysOf }, types, positions);
    }
    if (numbers === null) return;
    const has = new Uint8Array(types.length);
    if (numbers.rows === null) has.fill(1);
    else for (const row of numbers.rows) has[row] = 1;
    this.#addCodes(has, { size: 1, keysOf: () => [key] }, types, positions);
  }

  #addCodes(
    codes: ArrayLike<number>,
    of: { readonly size: number; readonly keysOf: (code: number) => readonly string[] },
    types: ArrayLike<number>,
    positions: Positions,
  ): void {
    const seen = new Set<number>();
    for (const { from, to } of positions.spans) {
      for (let k = from; k < to; k++) {
        const row = positions.rows === null ? k : positions.rows[k]!;
        const code = codes[row]!;
        if (code !== 0) seen.add(types[row]! * (of.size + 1) + code);
      }
    }
    for (const pair of seen) {
      const type = Math.floor(pair / (of.size + 1));
      for (const key of of.keysOf(pair % (of.size + 1))) this.#put(type, key);
    }
  }

  #put(type: number, key: string): void {
    const keys = this.#keys.get(type) ?? new Set<string>();
    if (keys.has(key)) return;
    this.#budget.take(BYTES_PER_KEY);
    keys.add(key);
    this.#keys.set(type, keys);
  }
}
