/**
 * The shards that a thread has open for reading. Descriptors are few and shards are many, and opening a file takes longer than
 * reading what a small query needs: SQLite creates a log and its index beside it, and removes them at the end. So a small shard at
 * rest is read as an image, which takes no descriptor, and its stored columns and texts are then kept in memory: one statement gets
 * them all, where each other would have to be prepared for every image. Those of a file are kept when it is closed to make room for
 * another. (All images would take three times as much: SQLite's caches are larger than such a file.)
 */
import { Lru, BESIDE } from '../../base/lru.ts';
import { ConnectionPool } from './connections.ts';
import { openForReading, type Connection } from './shard-file.ts';
import { ShardImages } from './shard-image.ts';
import type { StoredBytes } from './stored-bytes.ts';

/** Bytes kept by a thread for all shards, and for one. */
const MOST_KEPT = 16 << 20;
const MOST_BYTES = 256 << 10;

export interface Chunk {
  readonly first: number;
  readonly count: number;
}

/** Of a small shard. */
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
const storedBut = (
  leftOut: readonly number[],
): string => `SELECT 'c' AS kind, segment AS a, field AS b, 0 AS count, data, sum FROM columns
    WHERE field NOT IN (${leftOut.join()})
  UNION ALL SELECT 'y', id, 0, 0, CAST(types AS BLOB), sum FROM segments
  UNION ALL SELECT 't', field, first, count, data, sum FROM dictionaries`;

type StoredRow = StoredBytes & { readonly kind: 'c' | 'y' | 't'; readonly a: number; readonly b: number } & {
  readonly count: number;
};

export interface ReadConnectionsOptions {
  /** Files open at once; images take no descriptor. */
  readonly most: number;
  readonly open?: (file: string) => Connection;
  /** Fields of which no column is kept. */
  readonly leftOut?: readonly number[];
  readonly mostKept?: number;
}

export class ReadConnections {
  readonly #files: ConnectionPool;
  readonly #images = new ShardImages((file, image) => this.#keep(file, image));
  /** By file, weighed in bytes. */
  readonly #kept: Lru<string, KeptShard>;
  /** A statement for all that is kept of a shard. */
  readonly #stored: string;

  constructor({ most, open = openForReading, leftOut = [], mostKept = MOST_KEPT }: ReadConnectionsOptions) {
    this.#files = new ConnectionPool(open, most, (file, connection) => this.#keep(file, connection));
    this.#kept = new Lru(mostKept);
    this.#stored = storedBut(leftOut);
  }

  /** A connection to the file. Valid until the next call for another file. */
  get(file: string): Connection {
    return this.#files.has(file) ? this.#files.get(file) : (this.#images.get(file) ?? this.#files.get(file));
  }

  /** The same, to the file as it is now. */
  fresh(file: string): Connection {
    this.forgetCopies(file);
    return this.get(file);
  }

  /** What was kept of the file, as long as nobody reported it as outdated; null: read the file. */
  kept(file: string): KeptShard | null {
    return this.#kept.get(file) ?? null;
  }

  /** Drops copies of a file that has changed since, or may have: what was kept of it, and an image. */
  forgetCopies(file: string): void {
    this.#kept.delete(file);
    this.#images.close(file);
  }

  close(file: string): void {
    this.forgetCopies(file);
    this.#files.close(file);
  }

  #keep(file: string, connection: Connection): void {
    const kept = this.#kept.has(file) ? null : keptOf(connection, this.#stored);
    if (kept !== null) this.#kept.set(file, kept, kept.size);
  }
}

/** null if the file is large, or cannot be read: then whoever opens it next gets the error. */
function keptOf(connection: Connection, stored: string): KeptShard | null {
  try {
    const rows: StoredRow[] = [];
    let size = 0;
    for (const row of connection.prepare<[], StoredRow>(stored).iterate()) {
      size += row.data.length;
      if (size > MOST_BYTES) return null;
      rows.push(row);
    }
    return { ...together(rows, size), size: size + rows.length * BESIDE };
  } catch {
    return null;
  }
}

/** Copies the bytes into one array, since each has its own cost. */
function together(rows: readonly StoredRow[], size: number): Omit<KeptShard, 'size'> {
  const bytes = new Map<string, StoredBytes>();
  const chunks = new Map<number, Chunk[]>();
  const all = Buffer.allocUnsafeSlow(size);
  let at = 0;
  for (const { kind, a, b, count, data, sum } of rows) {
    all.set(data, at);
    const key = kind === 'c' ? keyOfColumn(a, b) : kind === 'y' ? keyOfTypes(a) : keyOfTexts(a, b);
    bytes.set(key, { data: all.subarray(at, (at += data.length)), sum });
    if (kind !== 't') continue;
    const known = chunks.get(a);
    if (known === undefined) chunks.set(a, [{ first: b, count }]);
    else known.push({ first: b, count });
  }
  for (const list of chunks.values()) list.sort((x, y) => x.first - y.first);
  return { bytes, chunks };
}
