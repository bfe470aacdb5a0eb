/** Reads a backup. */
import fs from 'node:fs';
import path from 'node:path';
import PQueue from 'p-queue';
import type { BucketAccess } from '../buckets/access.ts';
import type { ReadLog } from '../erasures/log-file.ts';
import { AppError } from '../base/errors.ts';
import { isBackupName, type FinishedBackup } from './finished-backup.ts';
import { torn, type BackedUpFile, type Manifest } from './manifest.ts';
import { backupsAt, openTarget } from './series.ts';
import { sumOfFile } from './whole-file.ts';

export interface BackupSource extends Pick<FinishedBackup, 'name' | 'fetch'> {
  readonly manifest: Manifest;
  readonly log: ReadLog;
}

/**
 * `from`: a backup, or a folder or bucket of backups, meaning the newest. Rejects with AppError if it is no backup or of a newer
 * release. `access`: null if no key to buckets is set.
 */
export async function openSource(from: string, access: BucketAccess | null): Promise<BackupSource> {
  const isOne = isBackupName(path.basename(from)) && !fs.existsSync(from);
  const [series, time] = isOne ? [path.dirname(from), path.basename(from)] : [from, null];
  const backups = await backupsAt(openTarget(series, access));
  const backup = time === null ? backups.at(-1) : backups.find((each) => each.time === time);
  if (backup === undefined) {
    throw new AppError('bad_request', `there is no backup ${time === null ? 'in' : `${time} in`} ${series}`, {
      hints: ['name the folder, or the bucket and prefix, as `wl admin backup` was given it'],
    });
  }
  const { name, fetch } = backup;
  return { name, fetch, manifest: await backup.manifest(), log: await backup.log() };
}

/** Copies files to a folder and checks them. Rejects with AppError for one that is missing or differs from what was written. */
export async function fetchFiles(
  source: BackupSource,
  files: readonly BackedUpFile[],
  folder: string,
  onFile?: (done: number, of: number) => void,
): Promise<void> {
  // Files fetched at once: a small file costs the store's latency, not bandwidth.
  const queue = new PQueue({ concurrency: 4 });
  let done = 0;
  const fetchOne = async (file: BackedUpFile): Promise<void> => {
    const to = path.join(folder, file.path);
    if (!(await source.fetch(file, to))) throw torn(source.name, `${file.path} is missing or of another length`);
    if (sumOfFile(to).sha256 !== file.sha256) throw torn(source.name, `${file.path} differs from what was written`);
    onFile?.(++done, files.length);
  };
  try {
    await queue.addAll(files.map((file) => () => fetchOne(file)));
  } finally {
    queue.clear();
    await queue.onIdle(); // after this nothing writes to the folder
  }
}
