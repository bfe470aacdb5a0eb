import type { ProjectRef } from '../base/project.ts';
import type { JournalDamage } from '../shards/journal/damage.ts';
import type { WriterOptions } from '../shards/writer-messages.ts';

/** What the embedded store is opened with. */
export interface EmbeddedStoreOptions extends Omit<WriterOptions, 'partition' | 'partitions'> {
  readonly writers: number;
  /** Bytes of bodies that wait for one writer. */
  readonly queueBytes: number;
  /** Threads that answer queries. */
  readonly threads: number;
  /** Shard files that one of these threads may have open. */
  readonly readShards?: number;
  /** Bytes of queries and of decoded columns together. */
  readonly queryBytes: number;
  /** Bytes that one query may hold. */
  readonly queryMemory: number;
  /** Groups that one query may hold. */
  readonly queryGroups: number;
  /** Every project that there is, with its settings of now; without it, projects forget old events only while they are used. */
  readonly projects?: () => Iterable<ProjectRef>;
  /** A background task failed (a compaction); nothing is lost, it is tried again. */
  readonly onTrouble: (error: unknown, what: string) => void;
  /** A journal file of an earlier run is damaged: what could be read of it is there, the rest is lost. */
  readonly onDamage?: (damage: JournalDamage) => void;
  /** A writer died: nothing can be taken any more, the process should end and be started again. */
  readonly onFatal: (error: Error) => void;
}

/** What one of the writers is told: plain data, which goes to its thread. */
export function writerOptions(options: EmbeddedStoreOptions, partition: number): WriterOptions {
  const { folder, bodyLimit, batchLimit, lineLimit, openShards } = options;
  const { dictionaryBytes, projectDictionaryBytes } = options;
  const { sealRows, sealBytes, sealAge, pendingBytes, journalBytes, segmentRows, geoipFile } = options;
  return {
    ...{ folder, partition, partitions: options.writers, bodyLimit, batchLimit, lineLimit, openShards },
    ...{ dictionaryBytes, projectDictionaryBytes },
    ...{ sealRows, sealBytes, sealAge, pendingBytes, journalBytes, segmentRows, geoipFile },
  };
}

/** What the operator is told of projects with which a writer has trouble. */
export const TROUBLES = {
  seal: 'events of a project could not be sealed',
  take_up: 'events of an earlier run have not been recovered yet',
} as const;
