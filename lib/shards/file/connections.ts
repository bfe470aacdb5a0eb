/** Open connections of one thread; closes the least recently used first: file descriptors are few, shards are many. */
import type { Connection } from './shard-file.ts';

export class Connections {
  readonly #open: (file: string) => Connection;
  readonly #most: number;
  readonly #onClose: (file: string, connection: Connection) => void;
  readonly #byFile = new Map<string, Connection>();

  /** @param onClose Called before a connection is closed to make room for another. */
  constructor(
    open: (file: string) => Connection,
    most: number,
    onClose: (file: string, connection: Connection) => void = () => undefined,
  ) {
    this.#open = open;
    this.#most = most;
    this.#onClose = onClose;
  }

  get size(): number {
    return this.#byFile.size;
  }

  has(file: string): boolean {
    return this.#byFile.has(file);
  }

  /** The connection to a file if there is one, which does not count as use. */
  peek(file: string): Connection | undefined {
    return this.#byFile.get(file);
  }

  /** The files that exceed three quarters of what may be open, the next to be closed first. */
  closedSoon(): string[] {
    const excess = this.#byFile.size - Math.floor((this.#most * 3) / 4);
    return [...this.#byFile.keys()].slice(0, Math.max(0, excess));
  }

  /** The connection to a file, opened if necessary. Valid until the next call. */
  get(file: string): Connection {
    let connection = this.#byFile.get(file);
    if (connection) this.#byFile.delete(file);
    else {
      for (const [oldest, unused] of this.#byFile) {
        if (this.#byFile.size < this.#most) break;
        this.#onClose(oldest, unused);
        this.close(oldest);
      }
      connection = this.#open(file);
    }
    this.#byFile.set(file, connection);
    return connection;
  }

  close(file: string): void {
    this.#byFile.get(file)?.close();
    this.#byFile.delete(file);
  }

  closeAll(): void {
    for (const file of [...this.#byFile.keys()]) this.close(file);
  }
}
