/** Seals that nobody waits for: the store thread does them, however small, one at a time. */
import type { ShardWriter } from './shard-writer.ts';

interface LaterSealsOptions {
  /** Whether the store thread may be asked now. */
  readonly mayBegin: () => boolean;
  /** Whether a shard still needs its seal, and can have it. */
  readonly isWanted: (shard: ShardWriter) => boolean;
  /** Begins a seal. @param ended Called once it has ended, in whatever way. */
  readonly begin: (shard: ShardWriter, ended: () => void) => void;
}

export class LaterSeals {
  readonly #options: LaterSealsOptions;
  readonly #waiting = new Set<ShardWriter>();
  #isRunning = false;

  constructor(options: LaterSealsOptions) {
    this.#options = options;
  }

  /** Whether none is running or waiting. */
  get isIdle(): boolean {
    return !this.#isRunning && this.#waiting.size === 0;
  }

  add(shard: ShardWriter): void {
    this.#waiting.add(shard);
    this.#next();
  }

  #next(): void {
    for (const shard of this.#waiting) {
      if (this.#isRunning || !this.#options.mayBegin()) return;
      this.#waiting.delete(shard);
      if (!this.#options.isWanted(shard)) continue;
      this.#isRunning = true;
      this.#options.begin(shard, () => {
        this.#isRunning = false;
        this.#next();
      });
    }
  }
}
