/**
 * Shards sealed without waiting for the disk, and which journal files they need until synced: a moment later, all of that moment
 * together, since each sync makes acknowledgements wait for the disk. Many a log is checkpointed by then, and gone.
 */
import { syncLog, syncLogNow, syncNames } from '../file/unsynced.ts';

/** How long a shard waits for others, ms. */
const GATHER_MS = 500;

interface Unsynced {
  /** The first journal file that it needs. */
  readonly file: number;
  /** Whether it was sealed again since its sync began. */
  changed: boolean;
}

export interface UnsyncedOptions {
  readonly fileOf: (project: string) => string;
  /** Called when a shard no longer needs a journal file. */
  readonly synced: (file: number) => void;
  /** Called for a shard that could not be synced; it is retried. */
  readonly failed: (project: string, error: unknown) => void;
}

export class UnsyncedShards {
  readonly #options: UnsyncedOptions;
  readonly #projects = new Map<string, Unsynced>();
  #planned = false;
  #syncing = false;

  constructor(options: UnsyncedOptions) {
    this.#options = options;
  }

  projects(): Iterable<string> {
    return this.#projects.keys();
  }

  /** The first journal file that one of them needs; Infinity if none. */
  get neededFile(): number {
    let first = Infinity;
    for (const { file } of this.#projects.values()) first = Math.min(first, file);
    return first;
  }

  /** Adds a shard that was sealed. @param file The first journal file with the sealed rows. */
  add(project: string, file: number): void {
    const known = this.#projects.get(project);
    if (known) known.changed = true;
    else this.#projects.set(project, { file, changed: false });
    if (this.#planned) return;
    this.#planned = true;
    const begin = (): void => {
      this.#planned = false;
      void this.sync();
    };
    setTimeout(begin, GATHER_MS).unref();
  }

  /** Syncs them one after the other, unless that is running. What fails, or is sealed again meanwhile, is left for the next call. */
  async sync(): Promise<void> {
    if (this.#syncing || this.#projects.size === 0) return;
    this.#syncing = true;
    try {
      await this.#syncAll([...this.#projects]);
    } finally {
      this.#syncing = false;
    }
  }

  /** Syncs all, and waits for it. */
  syncNow(): void {
    for (const project of this.#projects.keys()) {
      try {
        syncLogNow(this.#options.fileOf(project));
        this.#projects.delete(project);
      } catch (error) {
        this.#options.failed(project, error);
      }
    }
  }

  async #syncAll(shards: readonly (readonly [project: string, shard: Unsynced])[]): Promise<void> {
    const done: (typeof shards)[number][] = [];
    let named = false;
    for (const [project, shard] of shards) {
      shard.changed = false;
      try {
        named = (await syncLog(this.#options.fileOf(project))) || named;
        done.push([project, shard]);
      } catch (error) {
        this.#options.failed(project, error);
      }
    }
    const [first] = done;
    if (first === undefined) return;
    try {
      if (named) await syncNames(this.#options.fileOf(first[0])); // all are in one folder
    } catch (error) {
      return this.#options.failed(first[0], error);
    }
    for (const [project, shard] of done) this.#synced(project, shard);
  }

  #synced(project: string, shard: Unsynced): void {
    if (this.#projects.get(project) !== shard || shard.changed) return;
    this.#projects.delete(project);
    this.#options.synced(shard.file);
  }
}
