/** What takes data away for good, in the thread that writes: the deletion of a project, and its part of the erasure of a user. */
import type { Snapshot } from './column.ts';
import type { Sealing } from './sealing.ts';
import type { ShardSet } from './shard-set.ts';
import type { Telling } from './telling.ts';
import type { WriterMessage } from './writer-messages.ts';

export interface RemovalOptions {
  readonly shards: ShardSet;
  readonly sealing: Sealing;
  readonly telling: Telling;
  /** Removes the records of a project from the journal; all of them are sealed, or not wanted any more. */
  readonly scrub: (project: string) => void;
}

/**
 * An erasure works on the shard's file in a thread of its own, since it reads all of it. Meanwhile the writer has closed the file
 * and holds back what it is told of the project; other projects go on. The senders wait, so what is held is bounded by the queue.
 */
export class Removal {
  readonly #options: RemovalOptions;
  readonly #held = new Map<string, WriterMessage[]>();

  constructor(options: RemovalOptions) {
    this.#options = options;
  }

  /** Holds a message back when it is of a project that is being worked on. */
  holds(message: WriterMessage): boolean {
    if (this.#held.size === 0 || message.op === 'close' || message.op === 'thaw') return false;
    const held = this.#held.get(typeof message.project === 'string' ? message.project : message.project.id);
    held?.push(message);
    return held !== undefined;
  }

  /** Seals everything of a project and lets go of its file, until `thaw`. */
  freeze(project: string): Snapshot {
    const { shards, sealing, telling } = this.#options;
    const shard = shards.get(project);
    if (shard.unsealed) sealing.seal(shard);
    shards.connection(project); // makes the file of a project that has nothing yet
    telling.usage();
    const snapshot = shards.snapshot(shard);
    shards.forget(project);
    this.#held.set(project, []);
    return snapshot;
  }

  /** Goes on with a project, whose file may be another now: `process` takes what was held back. */
  thaw(project: string, process: (messages: readonly WriterMessage[]) => void): void {
    const held = this.#held.get(project) ?? [];
    this.#held.delete(project);
    try {
      this.#options.scrub(project);
    } finally {
      process(held);
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
