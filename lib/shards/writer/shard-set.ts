/** The shards loaded by one writer: opened when first needed, and the idle ones dropped when there are many. */
import fs from 'node:fs';
import path from 'node:path';
import type { Snapshot } from '../shard-reader.ts';
import { Connections } from '../file/connections.ts';
import { lacksIndex } from '../seal/index-shard.ts';
import type { Place } from '../journal/entry.ts';
import { partitionOf } from './partition.ts';
import { freshName, moveAside, removeShard } from '../file/rewrite-shard.ts';
import { guarded, isOpenForReading, openForWriting, shardPath, type Connection } from '../file/shard-file.ts';
import { ShardImages } from '../file/shard-image.ts';
import { nextArrival, readSnapshot } from '../segment/shard-meta.ts';
import { ShardWriter } from './shard-writer.ts';
import { syncPath } from '../../base/files/sync-path.ts';
import { sizeOf } from '../../base/files/size-of.ts';
import { threshold } from '../../base/threshold.ts';
import type { WriterOptions } from '../writer-messages.ts';

type OwnOptions = 'folder' | 'partition' | 'partitions' | 'openShards' | 'dictionaryBytes' | 'projectDictionaryBytes';

export interface ShardSetOptions extends Pick<WriterOptions, OwnOptions> {
  /** Called with a shard that is dropped with pending rows, which are only in the journal from then on. */
  readonly setAside: (shard: ShardWriter, places: readonly Place[]) => void;
  /** Called with a project whose file must be closed by all threads before it can be opened for writing. */
  readonly letGo: (project: string) => void;
}

/**
 * What a known shard takes besides its dictionaries, and for each field with rows that wait, about: measured on 3,000, and three
 * times that. It is mostly small objects, some of which lie dead before V8 collects them, and what little waits is cheap to take up again.
 */
const SHARD_BYTES = 96 << 10;
const FIELD_BYTES = 6 << 10;
/**
 * Most shards that stay loaded, however small. Where more take turns, a loaded one is seldom the next: with 10,000 it costs more to
 * collect garbage around some hundreds more than to leave their events to the journal.
 */
const MOST_LOADED = threshold('loaded shards', 512, { least: 1 });
/** While more is known than fits and nothing of it can be forgotten, that is tried again after this share of the memory. */
const SWEEPS = 16;

export class ShardSet {
  readonly connections: Connections;
  readonly #images = new ShardImages();
  readonly #options: ShardSetOptions;
  readonly #shards = new Map<string, ShardWriter>();
  #turns: MapIterator<ShardWriter> | null = null;
  /** Size of the loaded shards when last computed, plus those loaded since. */
  #memory = 0;
  /** Where it is computed again, to drop shards: if none can be dropped, the next loads do not retry one by one. */
  #sweepAt: number;
  /** The same as a number of shards. */
  #sweepSize = MOST_LOADED.value;

  constructor(options: ShardSetOptions) {
    this.#options = options;
    this.#sweepAt = options.dictionaryBytes;
    this.connections = new Connections(openForWriting, options.openShards);
  }

  /** The loaded shards, the least recently used first. */
  known(): IterableIterator<ShardWriter> {
    return this.#shards.values();
  }

  /** Up to `most` of the loaded shards; the next call returns the next ones, until all have been returned. */
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

  /** Whether there is hardly memory for another shard. */
  get isCrowded(): boolean {
    const { dictionaryBytes } = this.#options;
    return this.#memory > dictionaryBytes - dictionaryBytes / SWEEPS || this.#shards.size >= MOST_LOADED.value;
  }

  /** The shard of a project, if loaded. */
  peek(project: string): ShardWriter | undefined {
    return this.#shards.get(project);
  }

  /** Whether a shard that is not loaded lacks an index, so that reading it takes long. */
  lacksIndex(project: string): boolean {
    if (this.#shards.has(project) || !fs.existsSync(this.fileOf(project))) return false;
    return guarded(project, () => lacksIndex(this.reading(project)));
  }

  /** The shard of a project, loaded if necessary. Throws AppError('shard_damaged') if it cannot be read. */
  get(project: string): ShardWriter {
    let shard = this.#shards.get(project);
    const fresh = shard === undefined;
    if (shard) this.#shards.delete(project);
    else {
      const { projectDictionaryBytes } = this.#options;
      const stored = fs.existsSync(this.fileOf(project));
      const options = { stored, dictionaryBytes: projectDictionaryBytes };
      const connections = { read: () => this.reading(project), write: () => this.connection(project) };
      shard = guarded(project, () => this.writing(project, () => new ShardWriter(project, connections, options)));
    }
    this.#shards.set(project, shard);
    if (fresh) this.#added(shard);
    return shard;
  }

  /** The open file of a project's shard, created if missing. */
  connection(project: string): Connection {
    const file = this.fileOf(project);
    this.#images.close(file);
    return this.connections.get(file);
  }

  /** The same, only for reading: much faster for a small shard that is not open. */
  reading(project: string): Connection {
    const file = this.fileOf(project);
    const mayChange = this.connections.has(file) || this.#shards.get(project)?.away === true;
    return (mayChange ? null : guarded(project, () => this.#images.get(file))) ?? this.connection(project);
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
    this.closeFile(project);
    this.#options.letGo(project);
  }

  /** The next arrival number in the file of a shard; null if the file is large, or open. 1 if there is none. */
  storedArrival(project: string): number | null {
    const file = this.fileOf(project);
    if (this.connections.has(file)) return null;
    if (!fs.existsSync(file)) return 1;
    const image = this.#images.get(file);
    return image && nextArrival(image);
  }

  /** The projects whose files will be closed soon, the next first. */
  closedSoon(): string[] {
    return this.connections.closedSoon().map((file) => path.basename(file, '.db'));
  }

  /** Closes the file of a project, which may stay loaded. */
  closeFile(project: string): void {
    this.connections.close(this.fileOf(project));
  }

  /** Creates the file of a project without data, since readers only open existing files. */
  makeFile(project: string): void {
    if (!fs.existsSync(this.fileOf(project))) this.connection(project);
  }

  /** Drops what was read of the file, since another thread will write to it. */
  leave(project: string): void {
    this.#images.close(this.fileOf(project));
  }

  fileOf(project: string): string {
    return shardPath(this.#options.folder, project);
  }

  /** Bytes of the shard's file, or of its log if larger: what was just stored is only in the log. 0 if there is no file. */
  fileBytes(project: string): number {
    const file = this.fileOf(project);
    const own = sizeOf(file);
    return own === 0 ? 0 : Math.max(own, sizeOf(`${file}-wal`));
  }

  /**
   * Projects of this partition, newest first, whose shards were written no earlier than `window` milliseconds before the last
   * write that preceded `until`. Each step looks at one file, since there may be tens of thousands.
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

  /** The sealed data that a query may read. */
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

  closeAll(): void {
    this.#images.closeAll();
    this.connections.closeAll();
  }

  /** Drops a shard and closes its file; it is loaded again when next needed. */
  forget(project: string): void {
    this.#shards.delete(project);
    this.leave(project);
    this.connections.close(this.fileOf(project));
  }

  /**
   * What a query may read of a shard that is not loaded and so has nothing pending: read from the file without its dictionaries,
   * which may have millions of texts. Null if there is no file, or nothing was ever sealed into it.
   */
  storedSnapshot(project: string): Snapshot | null {
    const file = this.fileOf(project);
    if (this.#shards.has(project) || !fs.existsSync(file)) return null;
    return readSnapshot(this.reading(project), project, file);
  }

  /** Replaces the file of a shard, moving the old one aside. */
  replace(project: string, { staged, aside }: { readonly staged: string; readonly aside: string }): void {
    const file = this.fileOf(project);
    this.forget(project);
    fs.rmSync(freshName(file), { force: true });
    moveAside(file, aside);
    fs.renameSync(staged, file);
    syncPath(path.dirname(aside));
    syncPath(path.dirname(file));
  }

  remove(project: string): void {
    this.forget(project);
    removeShard(this.fileOf(project));
  }

  /** Shards with too much pending to be set aside, the least recently used first, as many as exceed the memory. */
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
   * Drops shards until the rest fits, the least recently used first; their few pending rows stay in the journal. Shards with many
   * pending rows stay, and so does `needed`.
   */
  forgetIdle(needed?: ShardWriter): void {
    this.#memory = 0;
    for (const shard of this.#shards.values()) this.#memory += bytesOf(shard);
    const { dictionaryBytes, setAside } = this.#options;
    for (const [project, shard] of this.#shards) {
      if ((this.#memory <= dictionaryBytes && this.#shards.size <= MOST_LOADED.value) || this.#shards.size === 1) break;
      const places = shard.placesAside;
      if (shard === needed || (places === null && !shard.mayBeForgotten)) continue;
      if (places !== null) setAside(shard, places);
      this.#memory -= bytesOf(shard);
      this.#shards.delete(project);
    }
    this.#sweepAt = Math.max(dictionaryBytes, this.#memory + dictionaryBytes / SWEEPS);
    this.#sweepSize = Math.max(MOST_LOADED.value, this.#shards.size + MOST_LOADED.value / SWEEPS);
  }

  #added(shard: ShardWriter): void {
    this.#memory += bytesOf(shard);
    if (this.#memory > this.#sweepAt || this.#shards.size > this.#sweepSize) this.forgetIdle(shard);
  }
}

const bytesOf = ({ memory, state }: ShardWriter): number => SHARD_BYTES + memory + state.fields.length * FIELD_BYTES;
