import type { JournalDamage } from '../shards/journal/damage.ts';
import type { WriterClient } from '../shards/writer/writer-client.ts';
import type { StoreStats } from './event-store.ts';

interface Sources {
  readonly writers: readonly Pick<WriterClient, 'stats' | 'queuedBytes'>[];
  readonly engine: Pick<StoreStats, 'cacheBytes' | 'workerRestarts' | 'busyThreads'>;
  readonly damage: readonly JournalDamage[];
  readonly sealFailures: number;
}

/** Sums up the statistics of a store's parts. */
export function storeStats({ writers, engine, damage, sealFailures }: Sources): StoreStats {
  const sum = (of: (writer: Sources['writers'][number]) => number): number =>
    writers.reduce((total, writer) => total + of(writer), 0);
  const { cacheBytes, workerRestarts, busyThreads } = engine;
  return {
    openShards: sum((writer) => writer.stats.openShards),
    journalBytes: sum((writer) => writer.stats.journalBytes),
    pendingRows: sum((writer) => writer.stats.pendingRows),
    queuedBytes: sum((writer) => writer.queuedBytes),
    seals: sum((writer) => writer.stats.seals),
    sealSeconds: sum((writer) => writer.stats.sealSeconds),
    sealFailures,
    pendingSeconds: Math.max(0, ...writers.map((writer) => writer.stats.pendingSeconds)),
    compactions: sum((writer) => writer.stats.compactions),
    journalDamagedFiles: damage.length,
    journalLostRecords: damage.reduce((total, { records }) => total + records, 0),
    journalLostBytes: damage.reduce((total, { bytes }) => total + bytes, 0),
    cacheBytes,
    workerRestarts,
    busyThreads,
  };
}
