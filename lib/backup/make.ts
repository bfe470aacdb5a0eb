/** Makes one backup of a data folder, which may be served. Does not copy what has not changed since the last backup. */
import fs from 'node:fs';
import path from 'node:path';
import { checkControl } from '../control/process/check.ts';
import { storageError as controlError } from '../control/storage/sqlite-error.ts';
import { CONTROL_FILE, ControlDatabase, SECRET_FILE } from '../control/database.ts';
import { AppError, codeOf, isOfDisk } from '../base/errors.ts';
import { namesIn } from '../base/files/names-in.ts';
import { SCRIPTS_FOLDER } from '../base/files/private-files.ts';
import { copyJournals, copyShard, shardNames } from '../shards/upkeep/backup.ts';
import { cannotBeWritten, type Destination } from './destination.ts';
import { newManifest, type DamagedShard, type BackedUpFile, type Manifest } from './manifest.ts';
import { copyToDisk, finishedSum, whyUnreadable } from './whole-file.ts';
import { isDeepStrictEqual } from 'node:util';
import { checkShard } from '../shards/upkeep/check.ts';
import { lookAt } from './sighting.ts';

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

interface ShardTask {
  /** The data folder. */
  readonly data: string;
  readonly destination: Destination;
  /** Called before each shard. */
  readonly onShard?: (done: number, of: number) => void;
}

type TakenShard = BackedUpFile & { readonly copied: boolean };

interface TakenShards {
  readonly shards: readonly TakenShard[];
  /** The backup has each as in an earlier one, or not at all. */
  readonly damaged: readonly DamagedShard[];
}

/** A damaged shard does not stop the others. Rejects when the target cannot be written. */
async function takeShards({ data, destination, onShard }: ShardTask): Promise<TakenShards> {
  const { draft, previous: earlier } = destination;
  const before = new Map(earlier?.files.map((file) => [file.path, file]));
  const names = shardNames(path.join(data, 'shards'));
  const shards: TakenShard[] = [];
  const damaged: DamagedShard[] = [];
  const keepEarlier = async (name: string, known: BackedUpFile | null, problem: string): Promise<void> => {
    const kept = known !== null && (await destination.takeOver(known));
    if (kept) shards.push({ ...known, seen: null, copied: false });
    damaged.push({ project: path.basename(name, '.db'), problem, as_of: kept ? ageOf(earlier, name) : null });
  };
  for (const [i, name] of names.entries()) {
    onShard?.(i, names.length);
    const place = `shards/${name}`;
    const looked = lookAt(path.join(data, place));
    if (looked === null) continue; // its project was deleted meanwhile
    const known = before.get(place) ?? null;
    if (known !== null && isDeepStrictEqual(known.seen, looked.sighting) && destination.has(known)) {
      shards.push({ ...known, copied: false });
      continue;
    }
    const problem = await copyChecked(path.join(data, place), path.join(draft, place));
    if (problem === null) {
      const seen = looked.fresh ? null : looked.sighting;
      if (!fs.existsSync(path.join(draft, place))) continue;
      const copied = finishedSum(path.join(draft, place));
      const shard = { path: place, ...copied, seen };
      await destination.store(shard);
      shards.push({ ...shard, copied: true });
      continue;
    }
    fs.rmSync(path.join(draft, place), { force: true });
    await keepEarlier(name, known, problem);
  }
  // One that an earlier backup has and that is gone: of a deleted project, which the caller knows, or lost.
  for (const [place, known] of before) {
    const name = path.basename(place);
    if (place === `shards/${name}` && !names.includes(name)) await keepEarlier(name, known, 'its file is missing');
  }
  return { shards, damaged };
}

/** Age of the copy of a shard in an earlier backup, which may itself have it from one before. */
function ageOf(earlier: Manifest | null, name: string): string | null {
  const known = earlier?.damaged?.find(({ project }) => `${project}.db` === name);
  return known?.as_of ?? earlier?.began_at ?? null;
}

/** What is wrong with a shard; null: nothing, and it was copied, or its project was deleted meanwhile. */
async function copyChecked(original: string, copy: string): Promise<string | null> {
  try {
    if (!(await copyShard(original, copy))) return null;
  } catch (error) {
    if (error instanceof AppError && error.data.code === 'shard_damaged') return error.data.message;
    const unreadable = whyUnreadable(original);
    if (unreadable === null) throw error; // the copy is at fault
    return unreadable;
  }
  const [problem] = checkShard(copy);
  if (problem === undefined) return null;
  const [own] = checkShard(original);
  if (own !== undefined) return own;
  throw new AppError('storage_unavailable', `${copy} is not what was written to it (${problem})`, {
    hints: ['look at the disk of the backup; the original is good, and earlier backups are as they were'],
  });
}
