/** How many stored events are older than a retention, for a data folder that no service runs on. */
import type { Config } from '../base/config/config.ts';
import { DAY_MS } from '../base/day.ts';
import { silentLog } from '../base/log.ts';
import type { Project } from '../control/types.ts';
import { projectRef } from '../router/project-ref.ts';
import { eventsBefore } from '../store/events-before.ts';
import { openStore } from './open-store.ts';

/** The caller holds the lock of the folder. Rejects with AppError. */
export async function countOlder(config: Config, project: Project, days: number): Promise<number> {
  const store = await openStore(config, silentLog());
  try {
    return await eventsBefore(store, projectRef(project), Date.now() - days * DAY_MS, config.queryTimeout);
  } finally {
    await store.close();
  }
}
