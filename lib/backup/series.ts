/**
 * Backups in one form at a target, a folder or a bucket:
 *
 *     backups/<time>.json     the manifest of a backup: written last, removed first
 *     files/<SHA-256>         files of all backups: an unchanged file is shared by many
 *     erasures…               the log of erasures, one file in a folder, objects in a bucket
 */
import path from 'node:path';
import PQueue from 'p-queue';
import { namesBucket } from '../base/bucket-location.ts';
import { AppError } from '../base/errors.ts';
import { namesIn } from '../base/files/names-in.ts';
import { isPartial, partialName } from '../base/files/partial-folder.ts';
import type { BucketAccess } from '../buckets/access.ts';
import { openBucket } from '../buckets/bucket.ts';
import { FolderStore } from '../buckets/folder-store.ts';
import { download, readObject, type Listed, type ObjectStore } from '../buckets/object-store.ts';
import { BucketLog } from '../erasures/bucket-log.ts';
import { ERASURE_LOG, type LogCopy, unionOf } from '../erasures/log-file.ts';
import { TargetFile } from '../erasures/target-file.ts';
import { isBackupName, type FinishedBackup } from './finished-backup.ts';
import { manifestOf, type BackedUpFile } from './manifest.ts';
import fs from 'node:fs';
import { SCRIPTS_FOLDER } from '../base/files/private-files.ts';
import { CONTROL_FILE, SECRET_FILE } from '../control/database.ts';

const [MANIFESTS, FILES] = ['backups/', 'files/'];
const MANIFEST = /^backups\/(.+)\.json$/;

export interface BackupTarget {
  readonly store: ObjectStore;
  /** null: it is a bucket. */
  readonly folder: string | null;
  readonly log: LogCopy;
}

/** `access`: null if no key to buckets is set; then one throws AppError. */
export function openTarget(target: string, access: BucketAccess | null): BackupTarget {
  if (!namesBucket(target))
    return {
      ...{ store: new FolderStore(target), folder: target },
      log: new TargetFile(path.join(target, ERASURE_LOG)),
    };
  const store = openBucket(target, access);
  return { store, folder: null, log: new BucketLog(store) };
}

export const manifestKey = (time: string): string => `${MANIFESTS}${time}.json`;

export const fileKey = ({ sha256 }: Pick<BackedUpFile, 'sha256'>): string => FILES + sha256;

const timeOf = (key: string): string => MANIFEST.exec(key)?.[1] ?? '';

/** The complete files, by key. */
export async function filesIn(store: ObjectStore): Promise<ReadonlyMap<string, Listed>> {
  return new Map((await store.list(FILES)).map((file) => [file.key, file]));
}

/** Oldest first. */
export async function backupsAt(target: BackupTarget): Promise<readonly FinishedBackup[]> {
  const old = target.folder === null ? [] : oldBackupsIn(target.folder);
  return [...old, ...(await storedAt(target))].sort((a, b) => (a.time < b.time ? -1 : 1));
}

/** Without those of the old form. */
async function storedAt({ store, log }: BackupTarget): Promise<readonly FinishedBackup[]> {
  const listed = (await store.list(MANIFESTS)).filter(({ key }) => isBackupName(timeOf(key)));
  return listed.map((object) => {
    const time = timeOf(object.key);
    const name = `${store.name}/${time}`;
    return {
      ...{ time, name },
      manifest: async () => manifestOf((await readObject(store, object))?.toString('utf8') ?? '', name),
      log: async () => log.read(),
      fetch: (file, to) => download(store, { key: fileKey(file), bytes: file.bytes }, to),
      remove: () => store.remove(object.key),
    };
  });
}

/** Removes all but the newest `keep`; returns the names of those removed. */
export async function prune(target: BackupTarget, keep: number): Promise<readonly string[]> {
  const gone = (await backupsAt(target)).slice(0, -keep);
  for (const backup of gone) await backup.remove();
  return gone.map(({ name }) => name);
}

/** Removes files that no backup uses, except those that are younger than the newest less `grace` (ms). */
export async function sweep(target: BackupTarget, grace: number): Promise<void> {
  const files = [...(await filesIn(target.store)).values()]; // before the manifests, so that files written later are not in it
  const wanted = new Set<string>();
  for (const backup of await storedAt(target))
    for (const file of (await backup.manifest()).files) wanted.add(fileKey(file));
  const newest = files.reduce((last, { at }) => Math.max(last, at), 0);
  const unwanted = files.filter(({ key, at }) => !wanted.has(key) && at <= newest - grace);
  const queue = new PQueue({ concurrency: 4 }); // files removed at once
  await Promise.all(unwanted.map(({ key }) => queue.add(() => target.store.remove(key))));
}

/** Whether a folder contains only what backups leave there. */
export function isFree(folder: string): boolean {
  const isOurs = (name: string): boolean =>
    [ERASURE_LOG, 'backups', 'files'].includes(name) || isBackupName(name) || isPartial(name);
  return isOldBackup(folder) || namesIn(folder).every(isOurs);
}

/** Throws AppError if what is to be a data folder holds backups: they would no longer be what was written, and keep who is erased. */
export function refuseBackup(folder: string): void {
  const stored = namesIn(path.join(folder, MANIFESTS)).some((name) => isBackupName(timeOf(MANIFESTS + name)));
  if (!stored && !isOldBackup(folder)) return;
  throw new AppError('bad_request', `${folder} has backups, so it cannot be a data folder`, {
    hints: [
      `restore one into another folder: \`wl admin restore ${folder} --data DIR\`; or name the right one with --data`,
    ],
  });
}

/**
 * Backups in folders of the form before: a data folder with its manifest in `backup.json`, and the log of erasures in it and in the
 * folder of backups around it. They are restored and pruned, and no more are made.
 */
const MANIFEST_FILE = 'backup.json';

/** A manifest that is a pipe, or a link to a device, is none: reading it might never end. */
const isOldBackup = (folder: string): boolean =>
  fs.lstatSync(path.join(folder, MANIFEST_FILE), { throwIfNoEntry: false })?.isFile() === true;

/** A folder is one backup, or has several, each in a folder named after its time. */
function oldBackupsIn(folder: string): readonly FinishedBackup[] {
  const series = namesIn(folder).filter(isBackupName);
  return [folder, ...series.map((name) => path.join(folder, name))].filter(isOldBackup).map(oldBackup);
}

function oldBackup(folder: string): FinishedBackup {
  const store = new FolderStore(folder);
  const time = isBackupName(path.basename(folder)) ? path.basename(folder) : ''; // before all that are made now
  const logs = time === '' ? [folder] : [folder, path.dirname(folder)];
  return {
    ...{ time, name: folder },
    manifest: async () => manifestOf(fs.readFileSync(path.join(folder, MANIFEST_FILE), 'utf8'), folder),
    log: async () => unionOf(logs.map((place) => new TargetFile(path.join(place, ERASURE_LOG)).read())),
    fetch: ({ path: key, bytes }, to) => download(store, { key, bytes }, to),
    remove: async () => {
      // One that is the folder itself keeps its manifest to the end, by which the next run knows what the rest is.
      const old = time === '' ? PARTS.map((name) => path.join(folder, name)) : [partialName(folder)];
      if (time !== '') fs.renameSync(folder, old[0]!);
      for (const part of old) fs.rmSync(part, { recursive: true, force: true });
    },
  };
}

const DATABASE = [CONTROL_FILE, `${CONTROL_FILE}-wal`, `${CONTROL_FILE}-shm`];
const PARTS = [...DATABASE, SECRET_FILE, 'journal', 'shards', SCRIPTS_FOLDER, MANIFEST_FILE];
