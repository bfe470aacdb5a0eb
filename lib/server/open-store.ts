/** Opens the embedded store with the settings of the service. */
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
export function openStore(
  config: Config,
  log: Log,
  control?: ControlDatabase,
  trouble: (error: unknown) => void = () => undefined,
): Promise<EventStore> {
  const { openShards, readShards } = planDescriptors(descriptorLimit(), config);
  return openEmbeddedStore({
    ...config,
    ...memoryShares(config.memory, config.writers),
    openShards,
    readShards,
    folder: config.data,
    ...(control === undefined ? {} : { projects: () => control.projects.list().map(projectRef) }),
    onDamage: (damage) => log.error(damage, 'a damaged journal file was set aside; what could be read was recovered'),
    onTrouble: (error, what) => {
      log.warn({ err: error }, what);
      trouble(error);
    },
    onFatal: (error) => {
      // Nobody awaits it: as an uncaught error it ends the process, and the next start replays the journal.
      setImmediate(() => {
        throw error;
      });
    },
  });
}
