/**
 * Takes up a project whose records only the journal has and that no writer has loaded: in the store thread, so that a writer of
 * thousands neither loads their shards nor waits for their files.
 */
import fs from 'node:fs';
import { closedAfterUse, openForWriting } from '../file/shard-file.ts';
import { withOneSync } from '../file/unsynced.ts';
import { recordsAt } from '../journal/backlog.ts';
import type { Steps } from '../seal/errand.ts';
import { indexShard, lacksIndex } from '../seal/index-shard.ts';
import { runStoreTask, type TakenUp, type TaskOf } from '../seal/store-tasks.ts';
import type { WriterOptions } from '../writer-messages.ts';
import { ShardWriter } from './shard-writer.ts';
import type { Taking } from './taking.ts';
import { wantedCompaction } from './compaction.ts';

interface TakeUpOptions extends Pick<WriterOptions, 'segmentRows' | 'projectDictionaryBytes'> {
  readonly taking: Taking;
}

/**
 * Reads the records into the shard and seals them; those that were sealed before are skipped. Throws if a record is not at its
 * place, or the shard cannot be read or written: what was sealed by then are whole requests, and the journal has the others.
 */
export function takeUpUnloaded(file: string, task: TaskOf<'take_up'>, options: TakeUpOptions): TakenUp {
  const { taking, segmentRows, projectDictionaryBytes } = options;
  const stored = fs.existsSync(file);
  using writing = closedAfterUse(openForWriting(file));
  const { connection } = writing;
  if (stored && lacksIndex(connection)) indexShard(connection);
  const same = { read: () => connection, write: () => connection };
  const shard = new ShardWriter(task.project, same, { stored, dictionaryBytes: projectDictionaryBytes });
  for (const record of recordsAt(task.folder, task.places, task.project)) {
    run(taking.takeRecord(shard, record), file);
    if (shard.heavy) shard.seal(withOneSync);
  }
  if (shard.unsealed) shard.seal(withOneSync);
  return {
    days: shard.state.usage.takeUntold(),
    isCompactable: wantedCompaction(shard.state, segmentRows, false) !== null,
  };
}

/** Runs all steps here, as nobody waits for this thread meanwhile. */
function run(steps: Steps<unknown>, file: string): void {
  for (const step of steps) if (step) step.outcome = { ok: true, value: runStoreTask(file, step.task) };
}
