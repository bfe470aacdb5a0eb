/** Finds the package windlass-cluster, which stores events on ClickHouse and the control database in PostgreSQL. */
import type { ClickHouseLocation } from './base/config/clickhouse-location.ts';
import type { PostgresLocation } from './base/config/postgres-location.ts';
import { ConfigError } from './base/config/setting-source.ts';
import { codeOf } from './base/errors.ts';
import type { SharedTurns } from './base/ingest-turn.ts';
import { VERSION } from './base/version.ts';
import type { Command } from './cli/command.ts';
import type { Engine, EngineOptions, OpenEngine } from './control/storage/engine.ts';
import type { WriterOptions } from './shards/writer-messages.ts';
import type { EventStore, StoreOptions } from './store/event-store.ts';

/** What the package does for the service and for `wl admin`. */
export interface Cluster {
  openStore(options: ClusterStoreOptions): Promise<EventStore>;
  openEngine(location: PostgresLocation, options: EngineOptions): Promise<Engine>;
  /** Those of `wl admin cluster`. */
  readonly commands: readonly Command[];
}

export interface ClusterStoreOptions
  extends StoreOptions, Pick<WriterOptions, 'bodyLimit' | 'batchLimit' | 'lineLimit' | 'geoipFile'> {
  readonly access: ClickHouseLocation;
  /** Threads that read bodies. */
  readonly writers: number;
  /** Shared with other nodes of the same tables; null: this must be the only one. */
  readonly turns: SharedTurns | null;
}

/** Throws ConfigError that says what to install where the package is missing. */
export async function loadCluster(): Promise<Cluster> {
  try {
    return (await import('../cluster/lib/cluster.ts')).cluster; // in a bundle: of the package, wherever it is installed
  } catch (error) {
    if (codeOf(error) !== 'MODULE_NOT_FOUND') throw error;
    throw new ConfigError(
      `ClickHouse and PostgreSQL need the package windlass-cluster: install it beside Windlass with \`npm install --global ./windlass-cluster-${VERSION}.tgz\`, a file of the same release (docs/install.md).`,
    );
  }
}

/** Opens the control database that WINDLASS_CONTROL names; null: it is a file of the data folder. */
export function engineAt(location: PostgresLocation | null): OpenEngine | null {
  return location === null ? null : async (options) => (await loadCluster()).openEngine(location, options);
}
