/** Makes one backup of a data folder, which may be served. Does not copy what has not changed since the last backup. */
import fs from 'node:fs';
import path from 'node:path';
import { checkControl } from '../control/process/check.ts';
import { storageError as controlError } from '../control/storage/sqlite-error.ts';
import { CONTROL_FILE, ControlDatabase, SECRET_FILE } from '../control/database.ts';
import { AppError, codeOf } from '../base/errors.ts';
import { namesIn } from '../base/files/names-in.ts';
import { SCRIPTS_FOLDER } from '../base/files/scripts-folder.ts';
import { copyJournals } from '../shards/upkeep/backup.ts';
import { isOfDisk } from '../base/files/disk-error.ts';
import { cannotBeWritten } from './destination.ts';
import { newManifest, type DamagedShard } from './manifest.ts';
import { takeShards, type ShardTask } from './take-shards.ts';
import { copyToDisk, finishedSum } from './whole-file.ts';

export interface BackupTask extends ShardTask {
  /** null: the one kept in the folder. */
  readonly secret: string | null;
  readonly beganAt: number;
}

export interface MadeBackup {
  /** Those with events, in shards or in the journal. */
  readonly projects: number;
  /** Shards that were copied; the others have not changed. */
  readonly copied: number;
  /** Written bytes of all files. */
  readonly bytes: number;
  /** Projects with damaged shards: the backup has them as an earlier one did, or not at all. */
  readonly damaged: readonly DamagedShard[];
}

/**
 * Copies journals first: what is sealed meanwhile is then in both, and a replay skips it; the other way round it would be in
 * neither. Copies the control database last: it then knows every project whose shard is there. Reads back and checks what was
 * written. A damaged shard does not stop the backup of the rest. Rejects with AppError when the control database is damaged, or
 * something cannot be read or written.
 */
export async function makeBackup(task: BackupTask): Promise<MadeBackup> {
  try {
    return await make(task);
  } catch (error) {
    throw targetError(error, task);
  }
}

async function make(task: BackupTask): Promise<MadeBackup> {
  const { data, destination, beganAt } = task;
  const { draft } = destination;
  for (const folder of ['journal', 'shards']) fs.mkdirSync(path.join(draft, folder), { mode: 0o700 });
  const unsealed = copyJournals(path.join(data, 'journal'), path.join(draft, 'journal'));
  const { shards, damaged } = await takeShards(task);
  const known = await copyControl(task);
  for (const { path: name } of shards) {
    if (!known.has(path.basename(name, '.db'))) fs.rmSync(path.join(draft, name), { force: true }); // its project was deleted meanwhile
  }
  const kept = shards.filter(({ path: name }) => known.has(path.basename(name, '.db')));
  const broken = damaged.filter(({ project }) => known.has(project));
  const others = otherFiles(draft).map((name) => ({ path: name, ...finishedSum(path.join(draft, name)), seen: null }));
  for (const file of others) await destination.store(file);
  const copied = kept.filter((shard) => shard.copied);
  const files = [...others, ...kept.map(({ copied: _copied, ...file }) => file)];
  await destination.commit(newManifest({ beganAt, files, damaged: broken }));
  const bytes = [...others, ...copied].reduce((sum, file) => sum + file.bytes, 0);
  const projects = new Set([...unsealed, ...shards.map(({ path: name }) => path.basename(name, '.db'))]);
  return { projects: projects.intersection(known).size, copied: copied.length, bytes, damaged: broken };
}

/** Returns the ids of the projects. */
async function copyControl({ data, secret, destination: { draft } }: BackupTask): Promise<ReadonlySet<string>> {
  await using control = await ControlDatabase.open(data, { secret });
  await control.backup(path.join(draft, CONTROL_FILE));
  for (const name of [
    SECRET_FILE,
    ...namesIn(path.join(data, SCRIPTS_FOLDER)).map((name) => `${SCRIPTS_FOLDER}/${name}`),
  ]) {
    if (fs.existsSync(path.join(data, name))) copyToDisk(path.join(data, name), path.join(draft, name));
  }
  const { problems, projects } = checkControl(draft);
  if (problems.length > 0) {
    throw new AppError('storage_unavailable', `the control database is damaged: ${problems.join('; ')}`, {
      hints: ['run `wl admin check`, and restore an earlier backup'],
    });
  }
  return new Set(projects.keys());
}

/** Everything in the draft except shards. */
function otherFiles(draft: string): readonly string[] {
  const inFolders = ['journal', SCRIPTS_FOLDER].flatMap((folder) =>
    namesIn(path.join(draft, folder)).map((name) => `${folder}/${name}`),
  );
  return [CONTROL_FILE, SECRET_FILE, ...inFolders].filter((name) => fs.existsSync(path.join(draft, name)));
}

/** Blames the backup's disk when a disk is full or not writable; an unreadable file is named, whichever disk it is on. */
function targetError(error: unknown, { data, destination: { draft } }: BackupTask): unknown {
  if (!isOfDisk(error)) return controlError(error);
  const code = codeOf(error);
  const target = path.dirname(draft);
  if (error instanceof Error && 'syscall' in error && error.syscall === 'read') {
    const message = `no backup was made: a file of ${data} or ${target} cannot be read (${code})`;
    return new AppError('storage_unavailable', message, {
      hints: ['look at the disks (`dmesg`, `smartctl`); nothing was changed, earlier backups are as they were'],
    });
  }
  return cannotBeWritten(target, error);
}
