/** Reads a backup from a folder or a bucket. */
import fs from 'node:fs';
import path from 'node:path';
import PQueue from 'p-queue';
import type { BucketAccess } from '../buckets/access.ts';
import { openBucket, type Bucket } from '../buckets/bucket.ts';
import { namesBucket } from '../base/bucket-location.ts';
import { BucketLog } from '../erasures/bucket-log.ts';
import { ERASURE_LOG, readLog, unionOf, writeLog, type ReadLog } from '../erasures/log-file.ts';
import { AppError } from '../base/errors.ts';
import { backupsIn as backupsInBucket, fileKey, readBackup } from './bucket-series.ts';
import { MANIFEST_FILE, manifestText, readManifest, torn, type BackedUpFile, type Manifest } from './manifest.ts';
import { backupsIn, isBackupName, logsOf } from './series.ts';
import { copyToDisk, sumOfFile } from './whole-file.ts';

/** Files fetched at once: a small file costs the store's latency, not bandwidth. */
const AT_ONCE = 4;

export interface Source {
  /** Name of the backup, for people. */
  readonly name: string;
  readonly manifest: Manifest;
  /** Everything known there about erasures. */
  readonly log: ReadLog;
  /** Copies a file, making its folder, without checking its content. False: it is missing. */
  fetch(file: BackedUpFile, to: string): Promise<boolean>;
}

/**
 * `from`: a backup, or a folder or bucket of backups, meaning the newest. Rejects with AppError if it is no backup or of a newer
 * release. `access`: null if no key to buckets is set.
 */
export async function openSource(from: string, access: BucketAccess | null): Promise<Source> {
  if (!namesBucket(from)) return folderSource(backupsIn(from).at(-1) ?? from);
  const [, series = from, time = null] = /^(.+)\/([^/]+)\/?$/.exec(from) ?? [];
  if (time === null || !isBackupName(time)) return bucketSource(openBucket(from, access), null);
  return bucketSource(openBucket(series, access), time);
}

function folderSource(folder: string): Source {
  return {
    name: folder,
    manifest: readManifest(folder),
    log: unionOf(
      logsOf(folder)
        .filter((file) => isThere(folder, file))
        .map(readLog),
    ),
    fetch: (file, to) => {
      const from = path.join(folder, file.path);
      if (!isThere(folder, from)) return Promise.resolve(false);
      if (fs.statSync(from).size !== file.bytes) throw differs(folder, file);
      copyToDisk(from, to);
      return Promise.resolve(true);
    },
  };
}

/** Throws AppError for what is no regular file: a link may lead to a device that never ends, and a pipe may wait for ever. */
function isThere(folder: string, file: string): boolean {
  const found = fs.lstatSync(file, { throwIfNoEntry: false });
  if (found?.isFile() === false) throw torn(folder, `${path.relative(folder, file)} is no regular file`);
  return found !== undefined;
}

/** `time`: name of a backup; null: the newest. */
async function bucketSource(bucket: Bucket, time: string | null): Promise<Source> {
  const backups = await backupsInBucket(bucket);
  const backup = time === null ? backups.at(-1) : backups.find(({ name }) => name === time);
  if (backup === undefined) {
    throw new AppError('bad_request', `there is no backup ${time === null ? 'in' : `${time} in`} ${bucket.name}`, {
      hints: ['name the bucket and prefix that `wl admin backup` was given, as it was written there'],
    });
  }
  return {
    name: `${bucket.name}/${backup.name}`,
    manifest: await readBackup(bucket, backup),
    log: await new BucketLog(bucket).read(),
    fetch: (file, to) => {
      fs.mkdirSync(path.dirname(to), { recursive: true, mode: 0o700 });
      return bucket.download(fileKey(file), file.bytes, to);
    },
  };
}

/** Copies files to a folder and checks them. Rejects with AppError for one that is missing or differs from what was written. */
export async function fetchFiles(
  source: Source,
  files: readonly BackedUpFile[],
  folder: string,
  onFile?: (done: number, of: number) => void,
): Promise<void> {
  const queue = new PQueue({ concurrency: AT_ONCE });
  let done = 0;
  const fetchOne = async (file: BackedUpFile): Promise<void> => {
    const to = path.join(folder, file.path);
    if (!(await source.fetch(file, to))) throw torn(source.name, `${file.path} is missing`);
    const { bytes, sha256 } = sumOfFile(to);
    if (bytes !== file.bytes || sha256 !== file.sha256) throw differs(source.name, file);
    onFile?.(++done, files.length);
  };
  try {
    await queue.addAll(files.map((file) => () => fetchOne(file)));
  } finally {
    queue.clear();
    await queue.onIdle(); // after this nothing writes to the folder
  }
}

const differs = (name: string, file: BackedUpFile): AppError =>
  torn(name, `${file.path} differs from what was written`);

/** Makes a folder with some files of a backup and its log of erasures, like a backup made to a folder. */
export async function fetchPart(source: Source, folder: string, wanted: (name: string) => boolean): Promise<void> {
  fs.mkdirSync(folder, { mode: 0o700 });
  const files = source.manifest.files.filter((file) => wanted(file.path));
  await fetchFiles(source, files, folder);
  fs.writeFileSync(path.join(folder, MANIFEST_FILE), manifestText(source.manifest), { mode: 0o600 });
  writeLog(path.join(folder, ERASURE_LOG), source.log.lines);
}
