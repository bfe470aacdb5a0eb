/** Open connections of one thread; closes the least recently used first: file descriptors are few, shards are many. */
import { Lru } from '../../base/lru.ts';
import type { Connection } from './shard-file.ts';

export class ConnectionPool {
  readonly #open: (file: string) => Connection;
  readonly #most: number;
  readonly #byFile: Lru<string, Connection>;

  /** @param onClose Called before a connection is closed to make room for another. */
  constructor(
    open: (file: string) => Connection,
    most: number,
    onClose: (file: string, connection: Connection) => void = () => undefined,
  ) {
    this.#open = open;
    this.#most = most;
    this.#byFile = new Lru(most, (connection, file) => {
      onClose(file, connection);
      connection.close();
    });
  }

  get size(): number {
    return this.#byFile.size;
  }

  has(file: string): boolean {
    return this.#byFile.has(file);
  }

  /** The files that exceed three quarters of what may be open, the next to be closed first. */
  closedSoon(): string[] {
    const excess = this.#byFile.size - Math.floor((this.#most * 3) / 4);
    return this.#byFile.keys().slice(0, Math.max(0, excess));
  }

  /** The connection to a file, opened if necessary. Valid until the next call. */
  get(file: string): Connection {
    const known = this.#byFile.get(file);
    if (known !== undefined) return known;
    this.#byFile.makeRoom(1); // before it is opened: it takes descriptors
    const connection = this.#open(file);
    this.#byFile.set(file, connection);
    return connection;
  }

  close(file: string): void {
    this.#byFile.delete(file)?.close();
  }

  closeAll(): void {
    for (const file of this.#byFile.keys()) this.close(file);
  }

  [Symbol.dispose](): void {
    this.closeAll();
  }
}
