import { JournalFolder } from '../shards/journal/folder.ts';
import { EmbeddedStore } from './embedded-store.ts';
import type { EventStore } from './event-store.ts';
import { StoreThreads, type EmbeddedStoreOptions } from './store-threads.ts';

/**
 * Opens the shards and the journal of a data folder, with threads of the same options. Resolves once everything an earlier run
 * acknowledged is available.
 */
export async function openEmbeddedStore(
  options: EmbeddedStoreOptions,
  threads = new StoreThreads(options),
): Promise<EventStore> {
  const journals = new JournalFolder(options.folder, options.writers);
  for (const { damage, error } of journals.prepare()) {
    options.onDamage?.(damage);
    if (error) options.onTrouble(error, 'a damaged journal file could not be set aside');
  }
  const store = new EmbeddedStore(options, journals, threads);
  const troubles = await store.opened();
  if (troubles.length === 0) journals.removeForeign();
  for (const trouble of troubles) options.onTrouble(trouble, 'events of an earlier run have not been recovered yet');
  return store;
}
