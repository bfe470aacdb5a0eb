/** Decoded columns of one thread, bounded in bytes; evicts the least recently used. */
import { retireColumns } from '../../primitives/columns.ts';
import type { MemoryArray } from '../../primitives/memory.ts';

/** A decoded value, and its bytes. */
export interface Made<T> {
  readonly value: T;
  readonly bytes: number;
  /** Columns that make up the value, which may be in the memory of the thread. */
  readonly columns?: readonly MemoryArray[];
}

export class ColumnCache {
  #most: number;
  readonly #entries = new Map<string, Made<unknown>>();
  #bytes = 0;

  /** `most`: bytes that may be held. A larger value is returned but not kept. */
  constructor(most: number) {
    this.#most = most;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** The value under a key; made, and measured, by `make` if missing. */
  get<T>(key: string, make: () => Made<T>): T {
    const known = this.peek<T>(key);
    if (known !== undefined) return known;
    const made = make();
    if (made.bytes <= this.#most) {
      this.#entries.set(key, made);
      this.#bytes += made.bytes;
      this.#evict();
    } else retireColumns(made.columns ?? []);
    return made.value;
  }

  /** The value under a key; undefined if missing. */
  peek<T>(key: string): T | undefined {
    const known = this.#entries.get(key);
    if (!known) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, known);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a key names one kind of value: its makers agree
    return known.value as T;
  }

  /** Sets the limit of bytes. */
  limit(most: number): void {
    this.#most = most;
    this.#evict();
  }

  has(key: string): boolean {
    return this.#entries.has(key);
  }

  /** Drops the values whose keys begin with a prefix. */
  forget(prefix: string): void {
    for (const [key, made] of this.#entries) if (key.startsWith(prefix)) this.#drop(key, made);
  }

  #evict(): void {
    for (const [key, made] of this.#entries) {
      if (this.#bytes <= this.#most) return;
      this.#drop(key, made);
    }
  }

  #drop(key: string, { bytes, columns }: Made<unknown>): void {
    this.#entries.delete(key);
    this.#bytes -= bytes;
    retireColumns(columns ?? []);
  }
}
