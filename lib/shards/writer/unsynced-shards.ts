/** Shards sealed without waiting for the disk, and which journal files they need until synced. One is synced at a time. */
import { syncLog, syncLogNow } from '../file/unsynced.ts';

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
    void this.sync();
  }

  /** Syncs them one after the other, unless that is running. After a failure the next call continues. */
  async sync(): Promise<void> {
    if (this.#syncing) return;
    this.#syncing = true;
    try {
      for (const [project, shard] of this.#projects) {
        shard.changed = false;
        await this.#one(project, shard);
      }
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

  async #one(project: string, shard: Unsynced): Promise<void> {
    try {
      await syncLog(this.#options.fileOf(project));
    } catch (error) {
      return this.#options.failed(project, error);
    }
    if (this.#projects.get(project) !== shard) return;
    this.#projects.delete(project);
    if (shard.changed)
      this.#projects.set(project, { file: shard.file, changed: false }); // comes again, last
    else this.#options.synced(shard.file);
  }
}
