/** Opens the embedded store with the settings of the service. */
import type { Config } from '../config.ts';
import type { EventStore } from '../workers/event-store.ts';

export function openStore(_config: Config): Promise<EventStore> {
  return Promise.reject(new Error('the embedded store is not built in yet'));
}
