/** Removes a deleted project's events from the disk, or waits for the server to do so. */
import { setTimeout as sleep } from 'node:timers/promises';
import { bucketAccess } from '../../buckets/access.ts';
import type { Config } from '../../base/config/config.ts';
import { DataLock } from '../../control/process/data-lock.ts';
import type { ControlDatabase } from '../../control/database.ts';
import { ErasureLog } from '../../erasures/erasure-log.ts';
import { AppError } from '../../base/errors.ts';
import { silentLog } from '../../base/log.ts';
import { removeHalfMade } from '../../backup/half-made.ts';
import { removeProject } from '../../shards/erase/erase-listed.ts';

/** How long a running server may take, and how often to check. Milliseconds. */
export const PATIENCE = 60_000;
export const POLL = 50;

/** Resolves when no file holds a byte of the project: a running server removes them, or this process does. */
export async function purgeProject(control: ControlDatabase, config: Config, id: string): Promise<void> {
  const until = performance.now() + PATIENCE;
  while ((await control.projects.unpurged()).includes(id)) {
    using lock = tryLock(config.data);
    if (lock !== null) {
      await log(control, config, id);
      await removeHalfMade(config.data, control);
      removeProject(config.data, id);
      await control.projects.markPurged(id);
      return;
    }
    if (performance.now() > until) {
      throw new AppError(
        'storage_unavailable',
        'the project is deleted, but the server has not removed its files yet',
        {
          hints: ['It retries every minute; its log says why.'],
        },
      );
    }
    await sleep(POLL);
  }
}

/** Logs it like a server: in the data folder and with its backups. What fails there, the next server retries and reports. */
async function log(control: ControlDatabase, config: Config, id: string): Promise<void> {
  const { data } = config;
  const erasures = new ErasureLog({
    ...{ data, hash: control.hashId.bind(control), targets: control.operator.backupTargets, log: silentLog() },
    buckets: bucketAccess(config),
  });
  erasures.projectDeleted(id);
  await erasures.reach();
}

/** null: a server is running. */
export function tryLock(folder: string): DataLock | null {
  try {
    return DataLock.acquire(folder);
  } catch (error) {
    if (error instanceof AppError && error.data.code === 'conflict') return null;
    throw error;
  }
}
