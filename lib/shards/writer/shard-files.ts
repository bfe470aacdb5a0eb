/** The shard files of a writer: where they are, and its connections to them. It knows nothing of what is in memory. */
import fs from 'node:fs';
import path from 'node:path';
import { fileSize } from '../../base/files/file-size.ts';
import { syncPath } from '../../base/files/sync-path.ts';
import { ConnectionPool } from '../file/connections.ts';
import { freshName, moveAside, removeShard, removeWithLog } from '../file/rewrite-shard.ts';
import { guarded, isOpenForReading, openForWriting, shardPath, type Connection } from '../file/shard-file.ts';
import { ShardImages } from '../file/shard-image.ts';
import { lacksIndex } from '../seal/index-shard.ts';
import { nextArrival, readSnapshot } from '../segment/shard-meta.ts';
import type { Snapshot } from '../shard-reader.ts';
import type { WriterOptions } from '../writer-messages.ts';
import { partitionOf } from '../journal/names.ts';

export interface ShardFilesOptions extends Pick<WriterOptions, 'folder' | 'partition' | 'partitions' | 'openShards'> {
  /** Called with a project whose file must be closed by all threads before it can be opened for writing. */
  readonly letGo: (project: string) => void;
}

export class ShardFiles {
  readonly connections: ConnectionPool;
  readonly #images = new ShardImages();
  readonly #options: ShardFilesOptions;

  constructor(options: ShardFilesOptions) {
    this.#options = options;
    this.connections = new ConnectionPool(openForWriting, options.openShards);
  }

  fileOf(project: string): string {
    return shardPath(this.#options.folder, project);
  }

  exists(project: string): boolean {
    return fs.existsSync(this.fileOf(project));
  }

  /** The open file of a project's shard, created if missing. */
  connection(project: string): Connection {
    const file = this.fileOf(project);
    this.#images.close(file);
    return this.connections.get(file);
  }

  /** The same, only for reading: much faster for a small shard that is not open. @param mayChange Whether another thread writes to it. */
  reading(project: string, mayChange = false): Connection {
    const file = this.fileOf(project);
    const image = mayChange || this.connections.has(file) ? null : guarded(project, () => this.#images.get(file));
    return image ?? this.connection(project);
  }

  /** Runs what writes to a project's file. */
  writing<T>(project: string, use: () => T): T {
    try {
      return use();
    } catch (error) {
      if (error instanceof Error) this.writeFailed(project, error);
      throw error;
    }
  }

  /** Has a project's file opened anew if a write, here or in another thread, found it open for reading alone. */
  writeFailed(project: string, error: Error): void {
    if (!isOpenForReading(error)) return;
    this.close(project);
    this.#options.letGo(project);
  }

  /** Whether a shard that is not loaded lacks an index, so that reading it takes long. */
  lacksIndex(project: string): boolean {
    return this.exists(project) && guarded(project, () => lacksIndex(this.reading(project)));
  }

  /** The next arrival number in the file of a shard; null if the file is large, or open. 1 if there is none. */
  storedArrival(project: string): number | null {
    const file = this.fileOf(project);
    if (this.connections.has(file)) return null;
    if (!fs.existsSync(file)) return 1;
    const image = this.#images.get(file);
    return image && nextArrival(image);
  }

  /**
   * What a query may read of a shard that is not loaded and so has nothing pending: read from the file without its dictionaries,
   * which may have millions of texts. Null if there is no file, or nothing was ever sealed into it.
   */
  storedSnapshot(project: string): Snapshot | null {
    return this.exists(project) ? readSnapshot(this.reading(project), project, this.fileOf(project)) : null;
  }

  /** The projects whose files will be closed soon, the next first. */
  closedSoon(): string[] {
    return this.connections.closedSoon().map((file) => path.basename(file, '.db'));
  }

  /** Closes the file of a project, which may stay loaded. */
  close(project: string): void {
    this.connections.close(this.fileOf(project));
  }

  /** Creates the file of a project without data, since readers only open existing files. */
  make(project: string): void {
    if (!this.exists(project)) this.connection(project);
  }

  /** Drops what was read of the file, since another thread will write to it. */
  leave(project: string): void {
    this.#images.close(this.fileOf(project));
  }

  closeAll(): void {
    this.#images.closeAll();
    this.connections.closeAll();
  }

  /** Bytes of the shard's file, or of its log if larger: what was just stored is only in the log. 0 if there is no file. */
  bytesOf(project: string): number {
    const file = this.fileOf(project);
    const own = fileSize(file);
    return own === 0 ? 0 : Math.max(own, fileSize(`${file}-wal`));
  }

  /** Replaces the file of a shard that is not loaded, moving the old one aside. */
  replace(project: string, { staged, aside }: { readonly staged: string; readonly aside: string }): void {
    const file = this.fileOf(project);
    removeWithLog(freshName(file));
    moveAside(file, aside);
    fs.renameSync(staged, file);
    syncPath(path.dirname(aside));
    syncPath(path.dirname(file));
  }

  remove(project: string): void {
    removeShard(this.fileOf(project));
  }

  /**
   * Projects of this partition, newest first, whose shards were written no earlier than `window` milliseconds before the last
   * write that preceded `until`. Each step looks at one file, since there may be tens of thousands.
   */
  *changedLast(window: number, until: number): Generator<undefined, string[]> {
    const folder = path.dirname(this.fileOf('any'));
    if (!fs.existsSync(folder)) return [];
    const changed = new Map<string, number>();
    for (const name of fs.readdirSync(folder)) {
      yield;
      const project = /^(.+)\.db(?:-wal)?$/.exec(name)?.[1];
      const time = fs.statSync(path.join(folder, name), { throwIfNoEntry: false })?.mtimeMs;
      if (project === undefined || time === undefined) continue;
      changed.set(project, Math.max(changed.get(project) ?? 0, time));
    }
    let last = 0;
    for (const time of changed.values()) if (time < until) last = Math.max(last, time);
    const { partition, partitions } = this.#options;
    const late = [...changed].filter(
      ([project, time]) => time >= last - window && partitionOf(project, partitions) === partition,
    );
    return late.sort(([, a], [, b]) => b - a).map(([project]) => project);
  }
}
