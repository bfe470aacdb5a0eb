/** The shards that one writer knows: opened when first needed, the idle ones forgotten when there are many. */
import fs from 'node:fs';
import path from 'node:path';
import type { Snapshot } from '../shard-reader.ts';
import { Connections } from '../file/connections.ts';
import { lacksIndex } from '../seal/index-texts.ts';
import type { Place } from '../journal/entry.ts';
import { partitionOf } from './partition.ts';
import { freshName } from '../file/rewrite-shard.ts';
import { guarded, openForWriting, shardPath, type Connection } from '../file/shard-file.ts';
import { ShardImages } from '../file/shard-image.ts';
import { readMeta, readSegments } from '../segment/shard-meta.ts';
import { ShardWriter } from './shard-writer.ts';
import { syncPath } from '../../base/files/sync-path.ts';

export interface ShardSetOptions {
  /** The data folder. */
  readonly folder: string;
  /** Of the writer, and how many there are. */
  readonly partition: number;
  readonly partitions: number;
  /** Open connections at once. */
  readonly openShards: number;
  /** Memory of all dictionaries: beyond it the least recently used shards are forgotten. */
  readonly dictionaryBytes: number;
  /** Memory of one project's dictionaries, at most. */
  readonly projectDictionaryBytes: number;
  /** Told of a shard that is forgotten with what waits in it: from now on that is in the journal alone. */
  readonly setAside: (shard: ShardWriter, places: readonly Place[]) => void;
}

/**
 * What a known shard takes besides its dictionaries, and for each field with rows that wait, about: measured on 3,000, and three
 * times that. It is mostly small objects, some of which lie dead before V8 collects them, and what little waits is cheap to take up again.
 */
const SHARD_BYTES = 96 << 10;
const FIELD_BYTES = 6 << 10;
/** While more is known than fits and nothing of it can be forgotten, that is tried again after this share of the memory. */
const SWEEPS = 16;

export class ShardSet {
  readonly connections: Connections;
  readonly #images = new ShardImages();
  readonly #options: ShardSetOptions;
  readonly #shards = new Map<string, ShardWriter>();
  #turns: MapIterator<ShardWriter> | null = null;
  /** Memory of the known shards when it was last summed up, and of those that came since. */
  #memory = 0;
  /** From here on it is summed up again, to forget some: where none can be, the next ones are not tried one by one. */
  #sweepAt: number;

  constructor(options: ShardSetOptions) {
    this.#options = options;
    this.#sweepAt = options.dictionaryBytes;
    this.connections = new Connections(openForWriting, options.openShards);
  }

  /** The known shards, the least recently used first. */
  known(): IterableIterator<ShardWriter> {
    return this.#shards.values();
  }

  /** Up to `most` of the known shards; the next call has the next ones, until all have had their turn. */
  *turn(most: number): Generator<ShardWriter> {
    this.#turns ??= this.#shards.values();
    for (let left = most; left > 0; left--) {
      const { done, value } = this.#turns.next();
      if (done === true) {
        this.#turns = null;
        return;
      }
      yield value;
    }
  }

  has(project: string): boolean {
    return this.#shards.has(project);
  }

  /** The shard of a project when it is known. */
  peek(project: string): ShardWriter | undefined {
    return this.#shards.get(project);
  }

  /** Whether a shard that is not known lacks an index, so that reading it takes long. */
  lacksIndex(project: string): boolean {
    if (this.#shards.has(project) || !fs.existsSync(this.fileOf(project))) return false;
    return guarded(project, () => lacksIndex(this.reading(project)));
  }

  /** The shard of a project, read when it is not known. Throws AppError('shard_damaged') when it cannot be. */
  get(project: string): ShardWriter {
    let shard = this.#shards.get(project);
    const fresh = shard === undefined;
    if (shard) this.#shards.delete(project);
    else {
      const { projectDictionaryBytes } = this.#options;
      const stored = fs.existsSync(this.fileOf(project));
      const options = { stored, dictionaryBytes: projectDictionaryBytes };
      const connections = { read: () => this.reading(project), write: () => this.connection(project) };
      shard = guarded(project, () => new ShardWriter(project, connections, options));
    }
    this.#shards.set(project, shard);
    if (fresh) this.#added(shard);
    return shard;
  }

  /** The open file of a project's shard, made when it is not there. */
  connection(project: string): Connection {
    const file = this.fileOf(project);
    this.#images.close(file);
    return this.connections.get(file);
  }

  /** The same to be read alone, which is much faster for a small shard that is not open. */
  reading(project: string): Connection {
    const file = this.fileOf(project);
    const mayChange = this.connections.has(file) || this.#shards.get(project)?.away === true;
    return (mayChange ? null : guarded(project, () => this.#images.get(file))) ?? this.connection(project);
  }

  /** The project whose file is closed next, where no more may be open. */
  get closedNext(): string | null {
    const file = this.connections.next;
    return file === null ? null : path.basename(file, '.db');
  }

  /** Closes the file of a project, which may stay known. */
  closeFile(project: string): void {
    this.connections.close(this.fileOf(project));
  }

  /** Makes the file of a project that has nothing yet: readers open what is there. */
  makeFile(project: string): void {
    if (!fs.existsSync(this.fileOf(project))) this.connection(project);
  }

  /** Another thread is going to write to the file: what was read of it is not kept. */
  leave(project: string): void {
    this.#images.close(this.fileOf(project));
  }

  /** Where the project's shard is. */
  fileOf(project: string): string {
    return shardPath(this.#options.folder, project);
  }

  /** Bytes of the shard's file, or of its log where that is larger: what was just stored is in the log alone. 0: there is none. */
  fileBytes(project: string): number {
    const file = this.fileOf(project);
    const [own = 0, log = 0] = [file, `${file}-wal`].map((name) => fs.statSync(name, { throwIfNoEntry: false })?.size);
    return own === 0 ? 0 : Math.max(own, log);
  }

  /**
   * Projects of this partition whose shards were written to within `window` milliseconds before the last write to any that was before
   * `until`, and later, the newest first. A step looks at one file: there may be tens of thousands.
   */
  *changedLast(window: number, until: number): Generator<undefined, string[]> {
    const folder = path.dirname(shardPath(this.#options.folder, 'any'));
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

  /** What a query may read of what is sealed. */
  snapshot({ project, state }: ShardWriter): Snapshot {
    return {
      project,
      file: this.fileOf(project),
      incarnation: state.incarnation,
      segments: state.segments.map(({ id, rows, first, last }) => ({ id, rows, first, last })),
      identityVersion: state.identityVersion,
      profileVersion: state.profileVersion,
    };
  }

  /** Closes all files. */
  closeAll(): void {
    this.#images.closeAll();
    this.connections.closeAll();
  }

  /** Lets go of a sealed shard and of its file; it is read anew when it is next needed. */
  forget(project: string): void {
    this.#shards.delete(project);
    this.#close(project);
  }

  /** Closes the file of a shard. */
  #close(project: string): void {
    this.leave(project);
    this.connections.close(this.fileOf(project));
  }

  /**
   * What a query may read of a shard that is not known here, so that nothing waits in it: read from the file without its
   * dictionaries, which may be millions of texts. Null when there is no file, or nothing was ever sealed into it.
   */
  storedSnapshot(project: string): Snapshot | null {
    const file = this.fileOf(project);
    if (this.#shards.has(project) || !fs.existsSync(file)) return null;
    const connection = this.reading(project);
    const { incarnation, identityVersion, profileVersion } = readMeta(connection);
    if (incarnation === undefined) return null;
    const segments = readSegments(connection).map(({ id, rows, first, last }) => ({ id, rows, first, last }));
    return { project, file, incarnation, segments, identityVersion, profileVersion };
  }

  /** Puts a file in the place of a shard's, which is moved aside. */
  replace(project: string, { staged, aside }: { readonly staged: string; readonly aside: string }): void {
    const file = this.fileOf(project);
    this.#shards.delete(project);
    this.#close(project);
    fs.rmSync(freshName(file), { force: true });
    fs.mkdirSync(path.dirname(aside), { recursive: true, mode: 0o700 });
    for (const suffix of ['', '-wal', '-shm'])
      if (fs.existsSync(file + suffix)) fs.renameSync(file + suffix, aside + suffix);
    fs.renameSync(staged, file);
    syncPath(path.dirname(aside));
    syncPath(path.dirname(file));
  }

  /** Removes a shard with its file. */
  remove(project: string): void {
    const file = this.fileOf(project);
    this.#shards.delete(project);
    this.#close(project);
    for (const name of [file, `${file}-wal`, `${file}-shm`, freshName(file)]) fs.rmSync(name, { force: true });
    if (fs.existsSync(path.dirname(file))) syncPath(path.dirname(file));
  }

  /** Those that hold much that is not sealed, the least recently used first, as many as are too many for the memory. */
  *crowding(): Generator<ShardWriter> {
    let excess = this.#memory - this.#options.dictionaryBytes;
    for (const shard of this.#shards.values()) {
      if (excess <= 0) return;
      if (!shard.unsealed) continue;
      excess -= bytesOf(shard);
      if (shard.placesAside === null) yield shard;
    }
  }

  /**
   * Forgets shards until the rest fits, the least recently used first: what little waits of them is left to the journal. Those with
   * much are kept, and one that is needed now.
   */
  forgetIdle(needed?: ShardWriter): void {
    this.#memory = 0;
    for (const shard of this.#shards.values()) this.#memory += bytesOf(shard);
    const { dictionaryBytes, setAside } = this.#options;
    for (const [project, shard] of this.#shards) {
      if (this.#memory <= dictionaryBytes || this.#shards.size === 1) break;
      const places = shard.placesAside;
      if (shard === needed || (places === null && !shard.mayBeForgotten)) continue;
      if (places !== null) setAside(shard, places);
      this.#memory -= bytesOf(shard);
      this.#shards.delete(project);
    }
    this.#sweepAt = Math.max(dictionaryBytes, this.#memory + dictionaryBytes / SWEEPS);
  }

  #added(shard: ShardWriter): void {
    this.#memory += bytesOf(shard);
    if (this.#memory > this.#sweepAt) this.forgetIdle(shard);
  }
}

const bytesOf = ({ memory, state }: ShardWriter): number => SHARD_BYTES + memory + state.fields.length * FIELD_BYTES;
