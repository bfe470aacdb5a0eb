/** The shards that one writer knows: opened when first needed, the idle ones forgotten when there are many. */
import fs from 'node:fs';
import path from 'node:path';
import type { Snapshot } from './column.ts';
import { Connections } from './connections.ts';
import { freshName } from './rewrite.ts';
import { openForWriting, shardPath, type Connection } from './shard-file.ts';
import { readMeta, readSegments } from './shard-state.ts';
import { ShardWriter } from './shard-writer.ts';
import { syncFolder } from './sync-folder.ts';

export interface ShardSetOptions {
  /** The data folder. */
  readonly folder: string;
  /** Open connections at once. */
  readonly openShards: number;
  /** Shards whose dictionaries are kept in memory. */
  readonly knownShards: number;
}

export class ShardSet {
  readonly connections: Connections;
  readonly #options: ShardSetOptions;
  readonly #shards = new Map<string, ShardWriter>();

  constructor(options: ShardSetOptions) {
    this.#options = options;
    this.connections = new Connections(openForWriting, options.openShards);
  }

  /** The known shards, the least recently used first. */
  known(): IterableIterator<ShardWriter> {
    return this.#shards.values();
  }

  has(project: string): boolean {
    return this.#shards.has(project);
  }

  /** The shard of a project, read when it is not known. Throws AppError('shard_damaged') when it cannot be. */
  get(project: string): ShardWriter {
    let shard = this.#shards.get(project);
    if (shard) this.#shards.delete(project);
    else {
      this.#forgetIdle();
      const stored = fs.existsSync(shardPath(this.#options.folder, project));
      shard = new ShardWriter(project, () => this.connection(project), stored);
    }
    this.#shards.set(project, shard);
    return shard;
  }

  connection(project: string): Connection {
    return this.connections.get(shardPath(this.#options.folder, project));
  }

  /** Bytes of the shard's file. */
  fileBytes(project: string): number {
    return fs.statSync(shardPath(this.#options.folder, project), { throwIfNoEntry: false })?.size ?? 0;
  }

  /** Projects whose shards were written to within `window` milliseconds before the last write to any. */
  changedLast(window: number): string[] {
    const folder = path.dirname(shardPath(this.#options.folder, 'any'));
    if (!fs.existsSync(folder)) return [];
    const changed = new Map<string, number>();
    for (const name of fs.readdirSync(folder)) {
      const project = /^(.+)\.db(?:-wal)?$/.exec(name)?.[1];
      const time = fs.statSync(path.join(folder, name), { throwIfNoEntry: false })?.mtimeMs;
      if (project === undefined || time === undefined) continue;
      changed.set(project, Math.max(changed.get(project) ?? 0, time));
    }
    const last = Math.max(0, ...changed.values());
    return [...changed].filter(([, time]) => time >= last - window).map(([project]) => project);
  }

  /** What a query may read of what is sealed. */
  snapshot({ project, state }: ShardWriter): Snapshot {
    return {
      project,
      file: shardPath(this.#options.folder, project),
      incarnation: state.incarnation,
      segments: state.segments.map(({ id, rows, first, last }) => ({ id, rows, first, last })),
      identityVersion: state.identityVersion,
      profileVersion: state.profileVersion,
    };
  }

  /** Lets go of a sealed shard and of its file; it is read anew when it is next needed. */
  forget(project: string): void {
    this.#shards.delete(project);
    this.connections.close(shardPath(this.#options.folder, project));
  }

  /**
   * What a query may read of a shard that is not known here, so that nothing waits in it: read from the file without its
   * dictionaries, which may be millions of texts. Null when there is no file, or nothing was ever sealed into it.
   */
  storedSnapshot(project: string): Snapshot | null {
    const file = shardPath(this.#options.folder, project);
    if (this.#shards.has(project) || !fs.existsSync(file)) return null;
    const connection = this.connection(project);
    const { incarnation, identityVersion, profileVersion } = readMeta(connection);
    if (incarnation === undefined) return null;
    const segments = readSegments(connection).map(({ id, rows, first, last }) => ({ id, rows, first, last }));
    return { project, file, incarnation, segments, identityVersion, profileVersion };
  }

  /** Removes a shard with its file. */
  remove(project: string): void {
    const file = shardPath(this.#options.folder, project);
    this.#shards.delete(project);
    this.connections.close(file);
    for (const name of [file, `${file}-wal`, `${file}-shm`, freshName(file)]) fs.rmSync(name, { force: true });
    if (fs.existsSync(path.dirname(file))) syncFolder(path.dirname(file));
  }

  #forgetIdle(): void {
    for (const [project, shard] of this.#shards) {
      if (this.#shards.size < this.#options.knownShards) return;
      if (!shard.unsealed && !shard.merging && !shard.state.usage.untold) this.#shards.delete(project);
    }
  }
}
