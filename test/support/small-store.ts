import { expect } from 'chai';
import { openEmbeddedStore } from '../../lib/store/open-embedded-store.ts';
import type { EmbeddedStoreOptions } from '../../lib/store/store-threads.ts';
import type { EventStore } from '../../lib/store/event-store.ts';
import { OPTIONS } from './shard-rows.ts';

/** A store of one writer and one query thread; trouble fails the test. */
export function openSmallStore(folder: string, more: Partial<EmbeddedStoreOptions> = {}): Promise<EventStore> {
  const sizes = { queueBytes: 64 << 20, queryBytes: 64 << 20, queryMemory: 64 << 20, queryGroups: 100_000 };
  const fail = (error: unknown): void => expect.fail(String(error));
  return openEmbeddedStore({
    ...{ ...OPTIONS, ...sizes, folder, writers: 1, threads: 1, onTrouble: fail, onFatal: fail },
    ...more,
  });
}
