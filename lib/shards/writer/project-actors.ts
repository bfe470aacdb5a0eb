/** The projects of one writer of which something is in memory: loaded when first needed, and evicted when there are many. */
import { threshold } from '../../base/threshold.ts';
import { guarded } from '../file/shard-file.ts';
import { type Unsealed, UnsealedRecords } from '../journal/unsealed-records.ts';
import type { Snapshot } from '../shard-reader.ts';
import type { WriterOptions } from '../writer-messages.ts';
import { ProjectActor } from './project-actor.ts';
import type { ShardFiles } from './shard-files.ts';
import { ShardWriter } from './shard-writer.ts';

export interface ProjectsOptions extends Pick<WriterOptions, 'dictionaryBytes' | 'projectDictionaryBytes'> {
  readonly files: ShardFiles;
  /** Called with a project that is to be evicted with pending rows, which are only in the journal from then on. */
  readonly spilling: (project: ProjectActor) => void;
}

/**
 * What a loaded shard takes besides its dictionaries, and for each field with rows that wait, about: measured on 3,000, and three
 * times that. It is mostly small objects, some of which lie dead before V8 collects them, and what little waits is cheap to replay.
 */
const SHARD_BYTES = 96 << 10;
const FIELD_BYTES = 6 << 10;
/**
 * Most shards that stay loaded, however small. Where more take turns, a loaded one is seldom the next: with 10,000 it costs more to
 * collect garbage around some hundreds more than to leave their events to the journal.
 */
const MOST_LOADED = threshold('loaded shards', 512, { least: 1 });
/** While more is known than fits and nothing of it can be evicted, that is tried again after this share of the memory. */
const SWEEPS = 16;

export class ProjectActors {
  readonly #options: ProjectsOptions;
  readonly #all = new Map<string, ProjectActor>();
  /** The least recently used first. */
  readonly #loaded = new Map<string, ProjectActor>();
  /** Size of the loaded shards when last computed, plus those loaded since. */
  #memory = 0;
  /** Where it is computed again, to evict: if none can be evicted, the next loads do not retry one by one. */
  #sweepAt: number;
  /** The same as a number of shards. */
  #sweepSize = MOST_LOADED.value;

  constructor(options: ProjectsOptions) {
    this.#options = options;
    this.#sweepAt = options.dictionaryBytes;
  }

  /** All that are not cold, or have messages, or records that only the journal has. */
  all(): IterableIterator<ProjectActor> {
    return this.#all.values();
  }

  /** Those with records that only the journal has. */
  *unsealed(): Generator<Unsealed> {
    for (const { id, records } of this.#all.values()) if (records !== null) yield { id, records };
  }

  /** The first journal file with such a record; Infinity if there is none. */
  get neededFile(): number {
    let first = Infinity;
    for (const { records } of this.unsealed()) first = Math.min(first, records.firstFile);
    return first;
  }

  /** The loaded ones, the least recently used first. */
  loaded(): IterableIterator<ProjectActor> {
    return this.#loaded.values();
  }

  of(id: string): ProjectActor {
    const known = this.#all.get(id);
    if (known !== undefined) return known;
    const made = new ProjectActor(id);
    this.#all.set(id, made);
    return made;
  }

  find(id: string): ProjectActor | undefined {
    return this.#all.get(id);
  }

  isLoaded(id: string): boolean {
    return this.#loaded.has(id);
  }

  /** Forgets a project of which there is nothing to know. */
  settle(project: ProjectActor): void {
    if (project.isForgettable) this.#all.delete(project.id);
  }

  /** Whether there is hardly memory for another shard. */
  get isCrowded(): boolean {
    const { dictionaryBytes } = this.#options;
    return this.#memory > dictionaryBytes - dictionaryBytes / SWEEPS || this.#loaded.size >= MOST_LOADED.value;
  }

  /** Reads the shard of a project into memory. Throws AppError('shard_damaged') if it cannot be read. */
  read(project: ProjectActor): ShardWriter {
    const { files, projectDictionaryBytes } = this.#options;
    const { id } = project;
    const options = { stored: files.exists(id), dictionaryBytes: projectDictionaryBytes };
    const connections = {
      read: () => files.reading(id, project.state.kind === 'busy'),
      write: () => files.connection(id),
    };
    const shard = guarded(id, () => files.writing(id, () => new ShardWriter(id, connections, options)));
    project.shard = shard;
    this.#loaded.set(id, project);
    this.#memory += bytesOf(shard);
    if (this.#memory > this.#sweepAt || this.#loaded.size > this.#sweepSize) this.evictIdle(project);
    return shard;
  }

  /** Notes that a loaded project was used. */
  used(project: ProjectActor): void {
    if (this.#loaded.delete(project.id)) this.#loaded.set(project.id, project);
  }

  /** Drops what is in memory of a project and closes its file. */
  evict(project: ProjectActor): void {
    const { files } = this.#options;
    this.#loaded.delete(project.id);
    project.evicted();
    files.leave(project.id);
    files.close(project.id);
  }

  /** The sealed data of a loaded project that a query may read. */
  snapshot({ id, loaded: { state } }: ProjectActor): Snapshot {
    return {
      project: id,
      file: this.#options.files.fileOf(id),
      incarnation: state.incarnation,
      segments: state.segments.map(({ id: segment, rows, first, last }) => ({ id: segment, rows, first, last })),
      identityVersion: state.identityVersion,
      profileVersion: state.profileVersion,
    };
  }

  /** Those with too much pending to be spilled, the least recently used first, as many as exceed the memory. */
  *crowding(): Generator<ProjectActor> {
    let excess = this.#memory - this.#options.dictionaryBytes;
    for (const project of this.#loaded.values()) {
      if (excess <= 0) return;
      if (!project.loaded.unsealed) continue;
      excess -= bytesOf(project.loaded);
      if (!isAtRest(project) || project.loaded.spillable === null) yield project;
    }
  }

  /**
   * Evicts projects until the rest fits, the least recently used first; their few pending rows stay in the journal. Those with many
   * pending rows stay, and so does `needed`.
   */
  evictIdle(needed?: ProjectActor): void {
    const { dictionaryBytes, spilling } = this.#options;
    this.#memory = 0;
    for (const { loaded } of this.#loaded.values()) this.#memory += bytesOf(loaded);
    for (const project of this.#loaded.values()) {
      if (this.#memory <= dictionaryBytes && this.#loaded.size <= MOST_LOADED.value) break;
      if (this.#loaded.size === 1) break;
      if (project === needed || !isAtRest(project)) continue;
      const shard = project.loaded;
      const places = shard.spillable;
      if (places === null && shard.unsealed) continue;
      if (places !== null) {
        spilling(project);
        project.records = new UnsealedRecords(places, shard.state.nextArrival);
      }
      this.#memory -= bytesOf(shard);
      this.#loaded.delete(project.id);
      project.evicted();
      this.settle(project);
    }
    this.#sweepAt = Math.max(dictionaryBytes, this.#memory + dictionaryBytes / SWEEPS);
    this.#sweepSize = Math.max(MOST_LOADED.value, this.#loaded.size + MOST_LOADED.value / SWEEPS);
  }
}

/** Not while its segments are being compacted, nor while queries may read replaced ones: whoever loads the shard removes them. */
const isAtRest = (project: ProjectActor): boolean =>
  project.isIdle && project.compactAfter !== Infinity && project.loaded.isAtRest;

const bytesOf = ({ memory, state }: ShardWriter): number => SHARD_BYTES + memory + state.fields.length * FIELD_BYTES;
