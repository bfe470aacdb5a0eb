/** What a writer does about once a second besides messages: seals old rows, reports usage, tidies up. */
import type { Compaction } from './compaction.ts';
import type { Sealing } from './sealing.ts';
import type { ProjectActor } from './project-actor.ts';
import type { ProjectActors } from './project-actors.ts';
import type { UsageReport } from './usage-report.ts';

/** A shard is tidied up after this time without events. Milliseconds. */
const IDLE = 5_000;
/** Shards tidied up in a step. */
const TIDIED_IN_STEP = 128;
/**
 * Compactions of few segments begun in a round while requests come: each writes to its file three times, and the journal's syncs
 * wait for that.
 */
const COMPACTED = 2;

interface Parts {
  readonly projects: ProjectActors;
  readonly sealing: Sealing;
  readonly usageReport: UsageReport;
  readonly compaction: Compaction;
  /** The first journal file with something to be replayed. */
  readonly neededFile: () => number;
}

/**
 * One round. Each step takes a few milliseconds; messages may be processed between two.
 * @param now By `monotonic()`.
 * @param isQuiet Whether no requests come.
 */
export function* keepHouse(parts: Parts, now: number, isQuiet: boolean): Generator<undefined, void> {
  const { projects, sealing, usageReport, neededFile } = parts;
  usageReport.usage(); // projects may only be evicted once their usage is reported
  projects.evictIdle();
  yield;
  sealing.tick(now, neededFile);
  yield;
  let tidied = 0;
  let compactions = isQuiet ? Infinity : COMPACTED;
  for (const project of [...projects.loaded()]) {
    if (tidy(project, parts, now) && compactions > 0 && parts.compaction.want(project, true)) compactions--;
    if (++tidied % TIDIED_IN_STEP === 0) yield;
  }
  usageReport.stats();
}

/** Returns whether nothing has come for the project for a while: few segments are then enough for a compaction. */
function tidy(project: ProjectActor, { sealing }: Parts, now: number): boolean {
  const { shard } = project;
  if (shard === null || shard.lastAppend > now - IDLE) return false;
  // Counters of refused requests, and identities, do not wait for an event.
  if ((shard.unsealed && shard.pendingRows === 0) || shard.state.unindexed) sealing.trySeal(project, now);
  return true;
}
