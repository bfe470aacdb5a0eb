/** What a shorter retention would remove, counted by the service that runs on the data folder, or by this process. */
import type { Config } from '../../base/config/config.ts';
import { askOlder } from '../../control/process/operator-socket.ts';
import { isShorter, type RetentionRemoval } from '../../control/projects/retention-changes.ts';
import type { Project } from '../../control/types.ts';
import { tryLock } from './purge-project.ts';

/** null: nothing that is kept now would go. `days`: the retention asked for; undefined: none. */
export async function removalIn(
  config: Config,
  project: Project,
  days: number | null | undefined,
  confirmed: boolean,
): Promise<RetentionRemoval | null> {
  const { retentionDays: from } = project.settings;
  if (days === undefined || !isShorter(days, from)) return null;
  using lock = tryLock(config.data);
  if (lock === null) return { from, days, events: await askOlder(config.data, project.id, days), confirmed };
  // oxlint-disable-next-line no-restricted-imports -- counting is a query, and only a store answers those
  const { countOlder } = await import('../../server/count-older.ts');
  return { from, days, events: await countOlder(config, project, days), confirmed };
}
