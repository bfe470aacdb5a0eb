/**
 * The shards that a thread has open for reading. Descriptors are few and shards are many, and opening a file takes longer than
 * reading what a small query needs: SQLite creates a log and its index beside it, and removes them at the end. So a small shard
 * whose file is closed to make room for another stays as a copy in memory.
 */
import Database from 'better-sqlite3';
import { bodyPassed } from '../../base/young-buffers.ts';
import { Connections } from './connections.ts';
import { asImage } from './shard-image.ts';
import type { Connection } from './shard-file.ts';

/** Bytes of all copies of a thread, and of one: most projects are small, and each copy takes some 100 KB beside its bytes. */
const MOST_COPIED = 24 << 20;
const MOST_BYTES = 128 << 10;

interface Copy {
  readonly connection: Connection;
  readonly bytes: number;
}

export class ReadConnections {
  readonly #files: Connections;
  readonly #mostCopied: number;
  /** The least recently used first. */
  readonly #copies = new Map<string, Copy>();
  #copied = 0;

  /** @param most Files open at once. */
  constructor(open: (file: string) => Connection, most: number, mostCopied = MOST_COPIED) {
    this.#files = new Connections(open, most, (file, connection) => this.#keep(file, connection));
    this.#mostCopied = mostCopied;
  }

  /** A connection to the file, or to a copy that nobody reported as outdated. Valid until the next call for another file. */
  get(file: string): Connection {
    const copy = this.#copies.get(file);
    if (copy === undefined) return this.#files.get(file);
    this.#copies.delete(file);
    this.#copies.set(file, copy);
    return copy.connection;
  }

  /** Drops a copy: the file has changed since, or may have. */
  forgetCopy(file: string): void {
    const copy = this.#copies.get(file);
    if (copy === undefined) return;
    this.#copies.delete(file);
    this.#copied -= copy.bytes;
    copy.connection.close();
  }

  close(file: string): void {
    this.forgetCopy(file);
    this.#files.close(file);
  }

  #keep(file: string, connection: Connection): void {
    const copy = copyOf(connection);
    if (copy === null) return;
    this.#copies.set(file, copy);
    this.#copied += copy.bytes;
    for (const oldest of this.#copies.keys()) {
      if (this.#copied <= this.#mostCopied) break;
      this.forgetCopy(oldest);
    }
  }
}

/** null if the file is large, or cannot be read: then whoever opens it next gets the error. */
function copyOf(connection: Connection): Copy | null {
  try {
    const [pages, page] = ['page_count', 'page_size'].map((name) => Number(connection.pragma(name, { simple: true })));
    const bytes = pages! * page!;
    if (bytes > MOST_BYTES) return null;
    const copy = new Database(asImage(connection.serialize()), { readonly: true });
    copy.pragma('cache_size = -16'); // KiB: all of it is in memory already
    bodyPassed(bytes); // what was serialized
    return { connection: copy, bytes };
  } catch {
    return null;
  }
}
