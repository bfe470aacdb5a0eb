/** What a writer does about once a second besides messages: seals old rows, reports usage, tidies up. */
import type { Compaction } from './compaction.ts';
import type { Sealing } from './sealing.ts';
import type { ShardSet } from './shard-set.ts';
import type { ShardWriter } from './shard-writer.ts';
import type { UsageReport } from './usage-report.ts';

/** A shard is tidied up after this time without events. Milliseconds. */
const IDLE = 5_000;
/** Shards tidied up at a time, and in a step: checking thousands takes tens of milliseconds. */
const TIDIED = 1_024;
const TIDIED_IN_STEP = 128;

export interface HousekeepingOptions {
  readonly shards: ShardSet;
  readonly sealing: Sealing;
  readonly usageReport: UsageReport;
  readonly compaction: Compaction;
  /** The first journal file with something not taken up. */
  readonly neededFile: () => number;
}

export class Housekeeping {
  readonly #options: HousekeepingOptions;

  constructor(options: HousekeepingOptions) {
    this.#options = options;
  }

  /** One round. Each step takes a few milliseconds; messages may be processed between two. @param now By `monotonic()`. */
  *round(now: number): Generator<undefined, void> {
    const { shards, sealing, usageReport, neededFile } = this.#options;
    usageReport.usage(); // shards may only be dropped once their usage is reported
    shards.forgetIdle();
    yield;
    sealing.tick(now, neededFile());
    yield;
    let tidied = 0;
    for (const shard of shards.turn(TIDIED)) {
      this.#tidy(shard, now);
      if (++tidied % TIDIED_IN_STEP === 0) yield;
    }
    usageReport.stats();
  }

  #tidy(shard: ShardWriter, now: number): void {
    const { sealing, compaction } = this.#options;
    if (shard.lastAppend > now - IDLE) return;
    // Counters of refused requests, and identities, do not wait for an event.
    if ((shard.unsealed && shard.pendingRows === 0) || shard.state.unindexed) sealing.trySeal(shard, now);
    shard.rest();
    compaction.want(shard, true);
  }
}
