/** Opens the store on ClickHouse for tests: a database of its own, however often it is opened. */
import { ClickHouseStore, type ClickHouseStoreOptions } from '../../lib/clickhouse/store.ts';
import { clickHouseAccess } from './chdb-server/chdb-server.ts';

type Limits = Omit<ClickHouseStoreOptions, 'access' | 'turns'>;

export function clickHouseOpener(): (limits: Limits) => Promise<ClickHouseStore> {
  let access: ReturnType<typeof clickHouseAccess> | null = null;
  return async (limits) =>
    new ClickHouseStore({ ...limits, turns: null, access: await (access ??= clickHouseAccess()) });
}
