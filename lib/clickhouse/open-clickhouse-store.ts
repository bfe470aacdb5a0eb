import type { EventStore } from '../store/event-store.ts';
import { checkSchema } from './migrate.ts';
import { ClickHouseStore, type ClickHouseStoreOptions } from './store.ts';

/** Opens the store on ClickHouse. Rejects with ConfigError where it cannot work: wrong tables, no rights, nobody there. */
export async function openClickHouseStore(options: ClickHouseStoreOptions): Promise<EventStore> {
  await checkSchema(options.access);
  const store = new ClickHouseStore(options);
  await store.begin();
  return store;
}
