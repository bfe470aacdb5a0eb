/** Opens the store with the settings of the service: the embedded one, or the one on ClickHouse. */
import type { Config } from '../base/config/config.ts';
import type { ControlDatabase } from '../control/database.ts';
import type { Log } from '../base/log.ts';
import { memoryShares } from '../base/config/memory-shares.ts';
import { descriptorLimit, planDescriptors } from '../base/config/descriptors.ts';
import { projectRef } from '../router/auth/credentials.ts';
import { openEmbeddedStore } from '../store/open-embedded-store.ts';
import type { EventStore } from '../store/event-store.ts';

/**
 * `control` knows the projects and how long they keep events; without it, only projects in use drop old ones. `trouble` hears of
 * errors in the background, besides the log.
 */
export async function openStore(
  config: Config,
  log: Log,
  control?: ControlDatabase,
  trouble: (error: unknown) => void = () => undefined,
): Promise<EventStore> {
  const onTrouble = (error: unknown, what: string): void => {
    log.warn({ err: error }, what);
    trouble(error);
  };
  const shares = memoryShares(config.memory, config.writers);
  const known = control === undefined ? {} : { projects: async () => (await control.projects.list()).map(projectRef) };
  if (config.store !== null) {
    const { openClickHouseStore } = await import('../clickhouse/open-clickhouse-store.ts');
    const turns = config.control === null ? null : (control?.ingestTurns ?? null);
    return openClickHouseStore({ ...config, ...shares, access: config.store, turns, onTrouble, ...known });
  }
  const { openShards, readShards } = planDescriptors(descriptorLimit(), config);
  return openEmbeddedStore({
    ...config,
    ...shares,
    openShards,
    readShards,
    folder: config.data,
    ...known,
    onDamage: (damage) => log.error(damage, 'a damaged journal file was set aside; what could be read was recovered'),
    onTrouble,
    onFatal: (error) => {
      // Nobody awaits it: as an uncaught error it ends the process, and the next start replays the journal.
      setImmediate(() => {
        throw error;
      });
    },
  });
}
