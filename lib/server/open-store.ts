/** Opens the embedded store with the settings of the service. */
import type { Config } from '../config.ts';
import type { Log } from '../log.ts';
import { openEmbeddedStore } from '../workers/embedded-store.ts';
import type { EventStore } from '../workers/event-store.ts';

export function openStore(config: Config, log: Log): Promise<EventStore> {
  return openEmbeddedStore({
    ...config,
    folder: config.data,
    onTrouble: (error, what) => log.warn({ err: error }, what),
    onFatal: (error) => {
      // Nobody awaits it: as an uncaught error it ends the process, and the next start replays the journal.
      setImmediate(() => {
        throw error;
      });
    },
  });
}
