/** What a writer tells without being asked: usage of days that changed, and numbers for the operator. */
import type { Compaction } from './compaction.ts';
import type { Sealing } from './sealing.ts';
import type { ShardSet } from './shard-set.ts';
import type { WriterReply } from './writer-messages.ts';

export interface TellingOptions {
  readonly shards: ShardSet;
  readonly sealing: Sealing;
  readonly compaction: Compaction;
  readonly post: (reply: WriterReply) => void;
}

export class Telling {
  readonly #options: TellingOptions;

  constructor(options: TellingOptions) {
    this.#options = options;
  }

  /** Tells the days of projects that changed since they were last told. */
  usage(): void {
    const { shards, post } = this.#options;
    const days = [...shards.known()].flatMap(({ project, state }) => {
      const told = state.usage.takeUntold();
      const bytes = told.length > 0 ? shards.fileBytes(project) : 0;
      return told.map(({ date, counts }) => ({ project, date, counts, bytes }));
    });
    if (days.length > 0) post({ op: 'usage', days });
  }

  stats(): void {
    const { shards, sealing, compaction, post } = this.#options;
    let pendingRows = 0;
    for (const shard of shards.known()) pendingRows += shard.pendingRows;
    const { journalBytes, stats } = sealing;
    const openShards = shards.connections.size;
    post({ op: 'stats', stats: { openShards, journalBytes, pendingRows, ...stats, ...compaction.stats } });
  }
}
