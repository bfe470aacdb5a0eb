/**
 * The shard files that a writer has sealed stay open until others need their place. Whoever closes such a file last checkpoints its
 * log and waits for the disk twice, so the store thread does that beforehand.
 */
import type { AppError } from '../../base/errors.ts';
import { unloaded, type Away } from './away.ts';
import { damaged } from '../file/shard-file.ts';
import type { ShardSet } from './shard-set.ts';

export interface OpenFilesOptions {
  readonly shards: ShardSet;
  readonly away: Away;
  readonly failed: (project: string, error: AppError) => void;
}

export class OpenFiles {
  readonly #options: OpenFilesOptions;
  /** Projects whose files the store thread is about to checkpoint. */
  readonly #closing = new Set<string>();

  constructor(options: OpenFilesOptions) {
    this.#options = options;
  }

  /** Has files closed once many are open. @param sealed Just used: its file stays. */
  makeRoom(sealed: string): void {
    const { shards } = this.#options;
    for (const project of shards.closedSoon()) {
      const shard = shards.peek(project);
      if (project === sealed || shard?.away === true || shard?.paused === true) continue;
      if (!this.#closing.has(project)) this.#close(project);
    }
  }

  #close(project: string): void {
    const { shards, away, failed } = this.#options;
    this.#closing.add(project);
    away.run<'checkpoint'>(
      shards.peek(project) ?? unloaded(project),
      { op: 'checkpoint' },
      {
        admits: 'appends',
        done: () => {
          this.#closing.delete(project);
          shards.closeFile(project);
        },
        failed: (error) => {
          this.#closing.delete(project);
          failed(project, damaged(error, project));
        },
      },
    );
  }
}
