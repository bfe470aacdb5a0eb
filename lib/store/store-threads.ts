import { Pool, type PoolOptions } from '../workers/pool/pool.ts';
import { WriterThread } from '../shards/writer/writer-client.ts';
import type { JournalDamage } from '../shards/journal/damage.ts';
import type { WriterOptions } from '../shards/writer-messages.ts';
import type { StoreOptions } from './event-store.ts';

export interface EmbeddedStoreOptions extends StoreOptions, Omit<WriterOptions, 'partition' | 'partitions'> {
  readonly writers: number;
  /** Threads that answer queries. */
  readonly threads: number;
  /** Shard files that one of these threads may have open. */
  readonly readShards?: number;
  /** Bytes of queries and decoded columns together. */
  readonly queryBytes: number;
  /** A journal file of an earlier run is damaged: what could be read was recovered, the rest is lost. */
  readonly onDamage?: (damage: JournalDamage) => void;
  /** A writer died: no more events can be taken, and the process should end and be restarted. */
  readonly onFatal: (error: Error) => void;
}

/** Least heap of a query thread, bytes: enough for objects of small answers and for the code. */
const LEAST_HEAP = 256 << 20;

/** What decides about the threads that the store begins with. */
type ThreadOptions = Pick<EmbeddedStoreOptions, 'writers' | 'threads' | 'readShards' | 'queryBytes' | 'queryMemory'>;

/** The options of the query threads. */
function poolOptions({ threads, readShards, queryBytes, queryMemory }: ThreadOptions): PoolOptions {
  const heapBytes = Math.max(queryMemory, LEAST_HEAP);
  return { threads, cacheBytes: queryBytes, heapBytes, ...(readShards === undefined ? {} : { readShards }) };
}

/** The options of one writer: plain data for its thread. */
export function writerOptions(options: EmbeddedStoreOptions, partition: number): WriterOptions {
  const { folder, bodyLimit, batchLimit, lineLimit, openShards } = options;
  const { dictionaryBytes, projectDictionaryBytes } = options;
  const { sealRows, sealBytes, sealAge, pendingBytes, journalBytes, segmentRows, geoipFile } = options;
  return {
    ...{ folder, partition, partitions: options.writers, bodyLimit, batchLimit, lineLimit, openShards },
    ...{ dictionaryBytes, projectDictionaryBytes },
    ...{ sealRows, sealBytes, sealAge, pendingBytes, journalBytes, segmentRows, geoipFile },
  };
}

/** What to tell the operator about projects that a writer has trouble with. */
export const TROUBLES = {
  seal: 'events of a project could not be sealed',
  replay: 'events of an earlier run have not been recovered yet',
} as const;

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
    void this.#pool.started().catch(() => undefined); // the store asks again
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
