/**
 * The shards that a thread has open for reading. Descriptors are few and shards are many, and opening a file takes longer than
 * reading what a small query needs: SQLite creates a log and its index beside it, and removes them at the end. So a small shard at
 * rest is read as an image (`openToRead`), and its stored columns and texts stay in memory when that, or its file, is closed to
 * make room for another. (All images would take three times as much: SQLite's caches are larger than such a file.)
 */
import { Lru } from '../../base/lru.ts';
import { buffersPassed } from '../../base/young-buffers.ts';
import { Connections } from './connections.ts';
import type { Connection } from './shard-file.ts';
import { isImage } from './shard-image.ts';
import type { StoredBytes } from './stored-bytes.ts';

/** Bytes kept by a thread for all shards, for one, and beside each column or text. */
const MOST_KEPT = 24 << 20;
const MOST_BYTES = 256 << 10;
const BESIDE = 256;

export interface Chunk {
  readonly first: number;
  readonly count: number;
}

/** Of a small shard whose file is closed. */
export interface KeptShard {
  /** By `keyOfColumn`, `keyOfTexts` and `keyOfTypes`. */
  readonly bytes: ReadonlyMap<string, StoredBytes>;
  /** The chunks of each dictionary, by its field, ascending. */
  readonly chunks: ReadonlyMap<number, readonly Chunk[]>;
  readonly size: number;
}

export const keyOfColumn = (segment: number, field: number): string => `c ${segment} ${field}`;
export const keyOfTexts = (field: number, first: number): string => `t ${field} ${first}`;
export const keyOfTypes = (segment: number): string => `y ${segment}`;
const KEYED = `SELECT 'c ' || segment || ' ' || field AS key, data, sum FROM columns
  UNION ALL SELECT 't ' || field || ' ' || first, data, sum FROM dictionaries
  UNION ALL SELECT 'y ' || id, CAST(types AS BLOB), sum FROM segments`;
const CHUNKS = 'SELECT field, first, count FROM dictionaries ORDER BY field, first';
const SIZE = `SELECT (SELECT total(length(data)) FROM columns) + (SELECT total(length(data)) FROM dictionaries)
  + (SELECT total(length(CAST(types AS BLOB))) FROM segments)`;

export class ReadConnections {
  readonly #files: Connections;
  /** By file, weighed in bytes. */
  readonly #kept: Lru<string, KeptShard>;

  /** @param most Files open at once. */
  constructor(open: (file: string) => Connection, most: number, mostKept = MOST_KEPT) {
    this.#files = new Connections(open, most, (file, connection) => this.#keep(file, connection));
    this.#kept = new Lru(mostKept);
  }

  /** A connection to the file. Valid until the next call for another file. */
  get(file: string): Connection {
    return this.#files.get(file);
  }

  /** What was kept of the file, as long as nobody reported it as outdated; null: read the file. */
  kept(file: string): KeptShard | null {
    return this.#kept.get(file) ?? null;
  }

  /** Drops copies of a file that has changed since, or may have: what was kept of it, and an image. */
  forgetCopies(file: string): void {
    this.#kept.delete(file);
    const connection = this.#files.peek(file);
    if (connection !== undefined && isImage(connection)) this.#files.close(file);
  }

  close(file: string): void {
    this.#kept.delete(file);
    this.#files.close(file);
  }

  #keep(file: string, connection: Connection): void {
    const kept = this.#kept.has(file) ? null : keptOf(connection);
    if (kept !== null) this.#kept.set(file, kept, kept.size);
  }
}

/** null if the file is large, or cannot be read: then whoever opens it next gets the error. */
function keptOf(connection: Connection): KeptShard | null {
  try {
    const size = connection.prepare<[], number>(SIZE).pluck().get() ?? Infinity;
    if (size > MOST_BYTES) return null;
    const bytes = new Map<string, StoredBytes>();
    const all = Buffer.allocUnsafeSlow(size); // one, since each has its own cost
    let at = 0;
    for (const { key, data, sum } of connection.prepare<[], StoredBytes & { readonly key: string }>(KEYED).iterate()) {
      all.set(data, at);
      bytes.set(key, { data: all.subarray(at, (at += data.length)), sum });
    }
    buffersPassed(size); // what SQLite gave
    const chunks = Map.groupBy(
      connection.prepare<[], Chunk & { readonly field: number }>(CHUNKS).iterate(),
      ({ field }) => field,
    );
    return { bytes, chunks, size: size + bytes.size * BESIDE };
  } catch {
    return null;
  }
}
