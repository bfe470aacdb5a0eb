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

  /** The file to be closed next, if no more may be open. */
  get next(): string | null {
    if (this.#byFile.size < this.#most) return null;
    for (const file of this.#byFile.keys()) return file;
    return null;
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
