/** Replaces the data of a folder by a backup. The old data stays in force until everything is copied and checked. */
import fs from 'node:fs';
import path from 'node:path';
import { DataLock } from '../control/process/data-lock.ts';
import { CONTROL_FILE, ControlDatabase } from '../control/database.ts';
import { AppError, codeOf, isOfDisk } from '../base/errors.ts';
import { ERASURE_LOG, readLog, type ReadLog, unionOf, writeLog } from '../erasures/log-file.ts';
import { applyErasures, BY, deleteCopy, type SealSettings, refuseForeign } from './apply-erasures.ts';
import { type DamagedShard, type Manifest, torn } from './manifest.ts';
import { backupName } from './finished-backup.ts';
import { refuseBackup } from './series.ts';
import { fetchFiles, type BackupSource } from './source.ts';
import { commitRestore, finishRestore, PARTIAL } from './switch-over.ts';
import { namesIn } from '../base/files/names-in.ts';
import { syncPath } from '../base/files/sync-path.ts';
import type { ErasureEntry, UserErasure } from '../erasures/entry.ts';

interface RestoreTask {
  readonly source: BackupSource;
  /** The data folder; created if missing. */
  readonly data: string;
  /** null: the one in the backup. */
  readonly secret: string | null;
  /** Replaces even data that is newer than the backup. */
  readonly force: boolean;
  readonly settings: SealSettings;
  readonly onFile?: (done: number, of: number) => void;
}

export interface Restored {
  readonly backup: string;
  readonly beganAt: string;
  readonly projects: number;
  /** Where the former data is; null: there was none. */
  readonly replaced: string | null;
  /** Projects of the backup that were deleted since, and so are left out. */
  readonly deleted: readonly string[];
  /** Events of the backup that were erased along with their users. */
  readonly erasedEvents: number;
  readonly erasures: ErasureSources;
  /** Projects that were damaged when the backup was made. */
  readonly damaged: readonly DamagedShard[];
}

/** What was known about erasures. */
export interface ErasureSources {
  /** Entries of the log, from all of its copies. */
  readonly entries: number;
  /** Milliseconds since the epoch; null: the log is empty or missing. */
  readonly newest: number | null;
  /** Unreadable lines. */
  readonly damaged: number;
  /** Whether the replaced data was readable too. */
  readonly former: boolean;
}

/** If it rejects (with AppError), the folder's data is unchanged. */
export async function restoreBackup(task: RestoreTask): Promise<Restored> {
  const { data, source } = task;
  const { name: backup, manifest } = source;
  refuseBackup(data);
  using _ = DataLock.acquire(data);
  try {
    finishRestore(data);
    if (!task.force) refuseNewer(data, manifest);
    const staged = await stage(task);
    commitRestore(data, backupName(Date.now()));
    return {
      backup,
      beganAt: manifest.began_at,
      replaced: finishRestore(data),
      damaged: manifest.damaged ?? [],
      ...staged,
    };
  } catch (error) {
    throw diskError(error, data);
  }
}

function refuseNewer(data: string, { began_at: beganAt }: Manifest): void {
  const changed = lastChange(data);
  if (changed <= Date.parse(beganAt)) return;
  const at = new Date(changed).toISOString();
  throw new AppError('conflict', `${data} has data that is newer than the backup: of ${at}, the backup of ${beganAt}`, {
    hints: ['what came since would be lost: with --force it is moved aside'],
  });
}

/** When a file that a restore replaces was last written. Milliseconds since the epoch; -Infinity: there is no data. */
function lastChange(data: string): number {
  const inFolders = ['journal', 'shards'].flatMap((folder) => {
    const place = path.join(data, folder);
    return namesIn(place).map((name) => path.join(place, name));
  });
  const files = [path.join(data, CONTROL_FILE), path.join(data, `${CONTROL_FILE}-wal`), ...inFolders];
  return Math.max(
    -Infinity,
    ...files.map((file) => fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? -Infinity),
  );
}

type Staged = Pick<Restored, 'projects' | 'deleted' | 'erasedEvents' | 'erasures'>;

/** Copies the backup to `restore.partial`, checks every byte and the secret, and drops what was deleted or erased since. */
async function stage(task: RestoreTask): Promise<Staged> {
  const draft = path.join(task.data, PARTIAL);
  checkRoom(task.data, task.source.manifest);
  try {
    await copyFiles(task, draft);
    const staged = await forget(task, draft);
    for (const folder of fs.readdirSync(draft, { withFileTypes: true }))
      if (folder.isDirectory()) syncPath(path.join(draft, folder.name));
    return staged;
  } catch (error) {
    fs.rmSync(draft, { recursive: true, force: true });
    throw error;
  }
}

function checkRoom(data: string, { files }: Manifest): void {
  const wanted = files.reduce((sum, { bytes }) => sum + bytes, 0);
  const { bavail, bsize } = fs.statfsSync(data);
  if (wanted <= bavail * bsize) return;
  throw new AppError('storage_unavailable', `${data} has no room for the ${wanted} bytes of the backup`, {
    hints: ['the data of before stays until the backup is whole: make room for both'],
  });
}

async function copyFiles({ source, onFile }: RestoreTask, draft: string): Promise<void> {
  const { name: backup, manifest } = source;
  const { files } = manifest;
  for (const folder of [draft, path.join(draft, 'journal'), path.join(draft, 'shards')])
    fs.mkdirSync(folder, { mode: 0o700 });
  await fetchFiles(source, files, draft, onFile);
  if (!files.some((file) => file.path === CONTROL_FILE)) throw torn(backup, `${CONTROL_FILE} is missing`);
}

/** Removes from the copy everything known to be deleted, erased or revoked since. Throws when the secret is not the backup's. */
async function forget(task: RestoreTask, draft: string): Promise<Staged> {
  const { data, source, secret, settings } = task;
  const log = unionOf([source.log, readLog(path.join(data, ERASURE_LOG))]);
  refuseForeign(source.name, draft);
  await using control = await ControlDatabase.open(draft, { secret });
  const former = await carryOver(task, log.entries, draft, control);
  const done = await applyErasures(draft, control, [...log.entries, ...(former?.erased ?? [])], settings);
  if (log.lines.length > 0) writeLog(path.join(draft, ERASURE_LOG), log.lines);
  await control.operator.backupTargets.startAgain();
  return {
    projects: (await control.projects.list()).length,
    deleted: [...(former?.deleted ?? []), ...done.deleted],
    erasedEvents: done.events,
    erasures: sourcesOf(log, former !== null),
  };
}

function sourcesOf({ entries, damaged }: ReadLog, former: boolean): ErasureSources {
  const newest = entries.reduce<number | null>((last, { at }) => Math.max(last ?? at, at), null);
  return { entries: entries.length, newest, damaged, former };
}

function diskError(error: unknown, data: string): unknown {
  if (!isOfDisk(error)) return error;
  return new AppError('storage_unavailable', `the backup cannot be restored to ${data} (${codeOf(error)})`, {
    hints: ['look at its free space and permissions; the data of before is as it was'],
  });
}

/** What was deleted and erased since a backup began, according to the data that it replaces. */
interface CarriedOver {
  /** Projects deleted since the backup, and now deleted from it. */
  readonly deleted: readonly string[];
  /** Users erased since by a release without a log of erasures. */
  readonly erased: readonly UserErasure[];
}

/**
 * Deletes and revokes in the copy of a backup what was deleted and revoked in `data` since. null: there is no data, or its control
 * database cannot be read, so nobody knows.
 */
async function carryOver(
  { data, secret, source }: RestoreTask,
  logged: readonly ErasureEntry[],
  draft: string,
  control: ControlDatabase,
): Promise<CarriedOver | null> {
  await using former = await openFormer(data, secret);
  if (former === null) return null;
  const there = new Set((await control.projects.list()).map(({ id }) => id));
  const deleted = (await former.projects.deleted()).filter((id) => there.has(id));
  for (const id of deleted) await deleteCopy(draft, control, id);
  for (const id of await former.operator.deletedOrganizations())
    if ((await control.organizations.find(id)) !== null) await control.operator.deleteOrganization(id, BY);
  await control.takeRevocations(former);
  const erased = (await former.operator.erasuresSince(Date.parse(source.manifest.began_at)))
    .map(({ project, user, at }): UserErasure => {
      return { kind: 'user', at, project: control.hashId('', project), user, devices: [], upTo: Infinity };
    })
    .filter((entry) => !logged.some((known) => isOf(known, entry)));
  return { deleted, erased };
}

/** The log has an erasure a moment after the audit trail. */
const isOf = (known: ErasureEntry, { project, user, at }: UserErasure): boolean =>
  known.kind === 'user' && known.project === project && known.user === user && known.at >= at;

async function openFormer(data: string, secret: string | null): Promise<ControlDatabase | null> {
  if (!fs.existsSync(path.join(data, CONTROL_FILE))) return null;
  try {
    return await ControlDatabase.open(data, { secret });
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}
