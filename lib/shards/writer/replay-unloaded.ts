/**
 * Replays a project whose records only the journal has and that no writer has loaded: in the store thread, so that a writer of
 * thousands neither loads their shards nor waits for their files.
 */
import fs from 'node:fs';
import { closedAfterUse, openForWriting } from '../file/shard-file.ts';
import { withOneSync } from '../file/unsynced.ts';
import { recordsAt } from '../journal/unsealed-records.ts';
import { whole } from '../steps.ts';
import { indexShard, lacksIndex } from '../seal/index-shard.ts';
import { runStoreTask, type Replayed, type TaskOf } from '../seal/store-tasks.ts';
import type { WriterOptions } from '../writer-messages.ts';
import { ShardWriter } from './shard-writer.ts';
import type { RequestReader } from './request-steps.ts';
import { wantedCompaction } from './compaction.ts';

interface ReplayOptions extends Pick<WriterOptions, 'segmentRows' | 'projectDictionaryBytes'> {
  readonly reader: RequestReader;
}

/**
 * Reads the records into the shard and seals them; those that were sealed before are skipped. Throws if a record is not at its
 * place, or the shard cannot be read or written: what was sealed by then are whole requests, and the journal has the others.
 */
export function replayUnloaded(file: string, task: TaskOf<'replay'>, options: ReplayOptions): Replayed {
  const { reader, segmentRows, projectDictionaryBytes } = options;
  const stored = fs.existsSync(file);
  using writing = closedAfterUse(openForWriting(file));
  const { connection } = writing;
  if (stored && lacksIndex(connection)) indexShard(connection);
  const same = { read: () => connection, write: () => connection };
  const shard = new ShardWriter(task.project, same, { stored, dictionaryBytes: projectDictionaryBytes });
  for (const record of recordsAt(task.folder, task.places, task.project)) {
    whole(reader.replay(shard, record), (read) => runStoreTask(file, read));
    if (shard.heavy) shard.seal(withOneSync);
  }
  if (shard.unsealed) shard.seal(withOneSync);
  return {
    days: shard.state.usage.takeUnreported(),
    isCompactable: wantedCompaction(shard.state, segmentRows, false) !== null,
  };
}
