/** What takes data away for good, in the thread that writes: the deletion of a project, and its part of the erasure of a user. */
import type { Snapshot } from './column.ts';
import type { HeldBack } from './held-back.ts';
import type { Sealing } from './sealing.ts';
import type { ShardSet } from './shard-set.ts';
import type { Telling } from './telling.ts';
import type { WriterMessage } from './writer-messages.ts';

export interface RemovalOptions {
  readonly shards: ShardSet;
  readonly sealing: Sealing;
  readonly telling: Telling;
  readonly held: HeldBack;
  /** Takes messages that were held back. */
  readonly again: (messages: readonly WriterMessage[]) => void;
  /** Removes the records of a project from the journal; all of them are sealed, or not wanted any more. */
  readonly scrub: (project: string) => void;
}

/**
 * An erasure works on the shard's file in a thread of its own, since it reads all of it. Meanwhile the writer has closed the file
 * and what it is told of the project is held back; other projects go on.
 */
export class Removal {
  readonly #options: RemovalOptions;

  constructor(options: RemovalOptions) {
    this.#options = options;
  }

  /** Seals everything of a project and lets go of its file, until `thaw`. */
  freeze(project: string): Snapshot {
    const { shards, sealing, telling, held } = this.#options;
    const shard = shards.get(project);
    if (shard.unsealed) sealing.seal(shard);
    shards.connection(project); // makes the file of a project that has nothing yet
    telling.usage();
    const snapshot = shards.snapshot(shard);
    shards.forget(project);
    held.hold(project);
    return snapshot;
  }

  /** Goes on with a project, whose file may be another now. */
  thaw(project: string): void {
    const { scrub, held, again } = this.#options;
    try {
      scrub(project);
    } finally {
      again(held.release(project));
    }
  }

  drop(project: string): void {
    const { shards, sealing, telling, scrub } = this.#options;
    telling.usage();
    if (shards.has(project)) sealing.journalBytes -= shards.get(project).journalBytes;
    shards.remove(project);
    scrub(project);
  }
}
