/** When pending rows become segments: asked for, or when they are many, old, or hold much of the journal. */
import { storageError } from './shard-file.ts';
import type { ShardSet } from './shard-set.ts';
import type { ShardWriter } from './shard-writer.ts';

/** After a seal failed, the next try waits so long. Milliseconds. */
const RETRY = 5_000;

export interface SealingOptions {
  readonly sealRows: number;
  readonly sealBytes: number;
  readonly sealAge: number; // milliseconds
  readonly pendingBytes: number;
}

export interface SealingHooks {
  /** Called before a seal: brings every row to the journal, so that nothing is sealed that may still be rolled back. */
  readonly before: () => void;
  /** Called with a shard that has a new segment, and the oldest journal file that is still needed (Infinity: none). */
  readonly after: (shard: ShardWriter, oldest: number) => void;
}

export class Sealing {
  readonly stats = { seals: 0, sealSeconds: 0 };
  /** Bytes of journal that pending rows hold. */
  journalBytes = 0;
  readonly #options: SealingOptions;
  readonly #shards: ShardSet;
  readonly #hooks: SealingHooks;

  constructor(options: SealingOptions, shards: ShardSet, hooks: SealingHooks) {
    this.#options = options;
    this.#shards = shards;
    this.#hooks = hooks;
  }

  /** Whether seals have fallen so far behind that no more events should be taken. */
  get stuck(): boolean {
    return this.journalBytes > this.#options.pendingBytes * 2;
  }

  /** Seals a shard. Throws AppError('storage_unavailable'), and nothing has changed. */
  seal(shard: ShardWriter): void {
    this.#hooks.before();
    const begun = performance.now();
    const bytes = shard.journalBytes;
    try {
      shard.seal();
    } catch (error) {
      throw storageError(error) ?? error;
    }
    this.journalBytes -= bytes;
    this.stats.seals++;
    this.stats.sealSeconds += (performance.now() - begun) / 1000;
    this.#hooks.after(shard, this.oldestFile());
  }

  /** The first journal file that pending rows are in; Infinity when none is. */
  oldestFile(): number {
    let oldest = Infinity;
    for (const { journalFile } of this.#shards.known()) oldest = Math.min(oldest, journalFile);
    return oldest;
  }

  /** Seals unless a seal failed a moment ago. What failed is tried again later; a query that needs it gets the error. */
  trySeal(shard: ShardWriter, now: number): boolean {
    if (shard.sealAfter > now) return false;
    try {
      this.seal(shard);
      return true;
    } catch (error) {
      if (!storageError(error)) throw error;
      shard.sealAfter = now + RETRY;
      return false;
    }
  }

  sealAll(): void {
    for (const shard of this.#shards.known()) if (shard.unsealed) this.seal(shard);
  }

  /** Seals what has become too much, of one project or of all together. */
  sealFull(now: number): void {
    const { sealRows, sealBytes, pendingBytes } = this.#options;
    for (const shard of this.#shards.known()) {
      if (shard.pendingRows >= sealRows || shard.journalBytes >= sealBytes) this.trySeal(shard, now);
    }
    while (this.journalBytes > pendingBytes) {
      const oldest = [...this.#shards.known()].reduce((a, b) => (b.journalFile < a.journalFile ? b : a));
      if (oldest.journalFile === Infinity || !this.trySeal(oldest, now)) return;
    }
  }

  /** Seals what has waited for long. */
  sealOld(now: number): void {
    for (const shard of this.#shards.known())
      if (shard.pendingSince <= now - this.#options.sealAge) this.trySeal(shard, now);
  }
}
