/** What the package does: all else in it is loaded when it is first needed. */
import type { Cluster } from '../../lib/seam.ts';
import { CLUSTER_COMMANDS } from './cli/cluster.ts';

export const cluster: Cluster = {
  openStore: async (options) => {
    const { openClickHouseStore } = await import('./clickhouse/store.ts');
    return openClickHouseStore(options);
  },
  openEngine: async (location, options) => {
    const { PostgresEngine } = await import('./postgres/postgres-engine.ts');
    return PostgresEngine.open(location, options);
  },
  commands: CLUSTER_COMMANDS,
};
