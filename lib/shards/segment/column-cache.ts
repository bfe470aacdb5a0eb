/** Decoded columns of one thread, bounded in bytes; evicts the least recently used. */
import { Lru, BESIDE } from '../../base/lru.ts';
import { retireColumns } from '../../primitives/columns.ts';
import type { MemoryArray } from '../../primitives/memory.ts';

/** What a thread keeps of whatever is not bounded by a setting. Bytes. */
export const MOST_CACHED = 64 << 20;

/** A decoded value, and its bytes: those of all buffers that it keeps. */
export interface CachedValue<T> {
  readonly value: T;
  readonly bytes: number;
  /** Columns that make up the value, which may be in the memory of the thread. */
  readonly columns?: readonly MemoryArray[];
}

export class ColumnCache {
  readonly #entries: Lru<string, CachedValue<unknown>>;

  /** `most`: bytes that may be held. A larger value is returned but not kept. */
  constructor(most: number) {
    this.#entries = new Lru(most, retire);
  }

  get bytes(): number {
    return this.#entries.weight;
  }

  /** The value under a key; made, and measured, by `make` if missing. */
  get<T>(key: string, make: () => CachedValue<T>): T {
    const known = this.peek<T>(key);
    if (known !== undefined) return known;
    const made = make();
    if (!this.#entries.set(key, made, made.bytes + BESIDE)) retire(made);
    return made.value;
  }

  /** The value under a key; undefined if missing. */
  peek<T>(key: string): T | undefined {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a key names one kind of value: its makers agree
    return this.#entries.get(key)?.value as T | undefined;
  }

  /** Sets the limit of bytes. */
  limit(most: number): void {
    this.#entries.limit(most);
  }

  has(key: string): boolean {
    return this.#entries.has(key);
  }

  /** Drops the values whose keys begin with a prefix. */
  forget(prefix: string): void {
    for (const key of this.#entries.keys()) {
      const dropped = key.startsWith(prefix) ? this.#entries.delete(key) : undefined;
      if (dropped !== undefined) retire(dropped);
    }
  }
}

const retire = ({ columns }: CachedValue<unknown>): void => retireColumns(columns ?? []);

/** Pieces of on-disk indexes (insert ids, texts) that were used recently, for all shards of a writer. */
export const indexCache = new ColumnCache(MOST_CACHED);
