/** Opens the store with the settings of the service: the embedded one, or the one on ClickHouse. */
import type { Config } from '../base/config/config.ts';
import { loadCluster } from '../cluster.ts';
import type { ControlDatabase } from '../control/database.ts';
import type { Log } from '../base/log.ts';
import type { JournalDamage } from '../shards/journal/damage.ts';
import { memoryShares } from '../base/config/memory-shares.ts';
import { projectRef } from '../router/project-ref.ts';
import { openEmbeddedStore } from '../store/open-embedded-store.ts';
import type { EventStore } from '../store/event-store.ts';
import type { StoreThreads } from '../store/store-threads.ts';
import { shareOut } from './start-threads.ts';

/** Nobody awaits fatal errors: as an uncaught error one ends the process, and the next start replays the journal. */
export function onFatal(error: unknown): void {
  setImmediate(() => {
    throw error;
  });
}

/**
 * `control` knows the projects and how long they keep events; without it, only projects in use drop old ones. `trouble` hears of
 * errors in the background, besides the log. `threads` are those of the same settings; null: it starts its own.
 */
export async function openStore(
  config: Config,
  log: Log,
  control?: ControlDatabase,
  trouble: (error: unknown) => void = () => undefined,
  threads: StoreThreads | null = null,
): Promise<EventStore> {
  const onTrouble = (error: unknown, what: string, project?: string): void => {
    log.warn(project === undefined ? { err: error } : { project, err: error }, what);
    trouble(error);
  };
  const known = control === undefined ? {} : { projects: async () => (await control.projects.list()).map(projectRef) };
  if (config.store !== null) {
    const cluster = await loadCluster();
    const turns = config.control === null ? null : (control?.ingestTurns ?? null);
    const shares = memoryShares(config.memory, config.writers);
    return cluster.openStore({ ...config, ...shares, access: config.store, turns, onTrouble, ...known });
  }
  const options = {
    ...shareOut(config),
    ...known,
    onDamage: (damage: JournalDamage) =>
      log.error(damage, 'a damaged journal file was set aside; what could be read was recovered'),
    onTrouble,
    onFatal,
  };
  return openEmbeddedStore(options, threads ?? undefined);
}
