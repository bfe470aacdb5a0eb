import { Pool } from '../workers/pool/pool.ts';
import { WriterThread } from '../shards/writer/writer-start.ts';
import { poolOptions, type ThreadOptions } from './embedded-options.ts';

/**
 * The threads that an embedded store begins with: its writers, and the query thread for small tasks. They load their programs at
 * once, and touch the data folder only when a store has taken them.
 */
export class StoreThreads {
  readonly #pool: Pool;
  readonly #writers: readonly WriterThread[];
  #taken = false;

  constructor(options: ThreadOptions) {
    this.#writers = Array.from({ length: options.writers }, () => new WriterThread());
    this.#pool = new Pool(poolOptions(options));
    this.#pool.start(this.#pool.small);
  }

  /** For the store, which ends them when it closes. */
  take(): { readonly pool: Pool; readonly writers: readonly WriterThread[] } {
    this.#taken = true;
    return { pool: this.#pool, writers: this.#writers };
  }

  /** Ends them if no store has taken them. */
  async close(): Promise<void> {
    if (this.#taken) return;
    for (const writer of this.#writers) writer.leave();
    await this.#pool.close();
  }
}
