/** Makes one backup of a data folder, beside a running server or without one. What did not change since another is not copied. */
import fs from 'node:fs';
import path from 'node:path';
import { checkControl } from '../control/check.ts';
import { storageError as controlError } from '../control/connection.ts';
import { CONTROL_FILE, ControlDatabase } from '../control/database.ts';
import { SECRET_FILE } from '../control/secret-file.ts';
import { ERASURE_LOG, readLog, unionOf, writeLog } from '../erasures/log-file.ts';
import { AppError } from '../errors.ts';
import { SCRIPTS_FOLDER } from '../scripts-folder.ts';
import { copyJournals, copyShard, shardNames } from '../shards/backup.ts';
import { checkShard } from '../shards/check.ts';
import { readManifest, writeManifest, type BackedUpFile } from './manifest.ts';
import { lookAt, same } from './sighting.ts';
import { copyToDisk, sumOfFile, syncPath } from './whole-file.ts';

export interface BackupTask {
  /** The data folder. */
  readonly data: string;
  /** null: the one kept in the folder. */
  readonly secret: string | null;
  /** A folder to make. */
  readonly draft: string;
  /** A whole backup of the same folder on the same file system, whose files are taken over where nothing changed; null: none. */
  readonly previous: string | null;
  readonly beganAt: number;
  /** Told before each shard. */
  readonly onShard?: (done: number, of: number) => void;
}

export interface Made {
  readonly projects: number;
  /** Shards that were copied; the other projects' have not changed. */
  readonly copied: number;
  /** That were written, of all files. */
  readonly bytes: number;
}

/**
 * Journals go first: what is sealed in between is then in both, which a replay knows how to skip; the other way round it would
 * be in neither. The control database goes last: it then knows every project whose shard is there. What was written is read
 * back and checked. Rejects with AppError when something cannot be read, written, or is damaged.
 */
export async function makeBackup(task: BackupTask): Promise<Made> {
  try {
    return await make(task);
  } catch (error) {
    throw targetError(error, task.draft);
  }
}

async function make(task: BackupTask): Promise<Made> {
  const { data, draft, beganAt } = task;
  for (const folder of [draft, path.join(draft, 'journal'), path.join(draft, 'shards')])
    fs.mkdirSync(folder, { mode: 0o700 });
  copyJournals(path.join(data, 'journal'), path.join(draft, 'journal'));
  const shards = await takeShards(task);
  const known = await copyControl(task);
  for (const { path: name } of shards) {
    if (!known.has(path.basename(name, '.db'))) fs.rmSync(path.join(draft, name)); // its project was deleted meanwhile
  }
  keepLog(task);
  const kept = shards.filter(({ path: name }) => known.has(path.basename(name, '.db')));
  const others = otherFiles(draft).map((name) => ({ path: name, ...finished(path.join(draft, name)), seen: null }));
  const copied = kept.filter((shard) => shard.copied);
  writeManifest(draft, beganAt, [...others, ...kept.map(({ copied: _copied, ...file }) => file)]);
  for (const folder of new Set(others.map(({ path: name }) => path.dirname(name)).concat('shards', 'journal', '.')))
    syncPath(path.join(draft, folder));
  const bytes = [...others, ...copied].reduce((sum, file) => sum + file.bytes, 0);
  return { projects: kept.length, copied: copied.length, bytes };
}

/** Last of all, with what the earlier backup in its place knows. It is no file of the manifest, since it grows at a target. */
function keepLog({ data, draft, previous }: BackupTask): void {
  const places = previous === null ? [data] : [data, previous];
  const { lines } = unionOf(places.map((place) => readLog(path.join(place, ERASURE_LOG))));
  writeLog(path.join(draft, ERASURE_LOG), lines);
}

type Taken = BackedUpFile & { readonly copied: boolean };

async function takeShards({ data, draft, previous, onShard }: BackupTask): Promise<readonly Taken[]> {
  const before = new Map(filesOf(previous).map((file) => [file.path, file]));
  const names = shardNames(path.join(data, 'shards'));
  const taken: Taken[] = [];
  for (const [i, name] of names.entries()) {
    onShard?.(i, names.length);
    const place = `shards/${name}`;
    const looked = lookAt(path.join(data, place));
    if (looked === null) continue; // its project was deleted meanwhile
    const known = before.get(place);
    if (previous !== null && known?.seen && same(known.seen, looked.sighting) && takeOver(previous, draft, known)) {
      taken.push({ ...known, copied: false });
      continue;
    }
    if (!(await copyShard(path.join(data, place), path.join(draft, place)))) continue;
    checkCopy(path.join(data, place), path.join(draft, place));
    const seen = looked.fresh ? null : looked.sighting;
    taken.push({ path: place, ...finished(path.join(draft, place)), seen, copied: true });
  }
  return taken;
}

/** What an earlier backup has. One that is damaged, or of a newer release, has nothing to take over, and is no reason to make none. */
function filesOf(previous: string | null): readonly BackedUpFile[] {
  try {
    return previous === null ? [] : readManifest(previous).files;
  } catch (error) {
    if (error instanceof AppError) return [];
    throw error;
  }
}

/** Gives a file of the earlier backup a second name. False: it is not there any more as it was, or the disk has no such names. */
function takeOver(previous: string, draft: string, { path: name, bytes }: BackedUpFile): boolean {
  const from = path.join(previous, name);
  if (fs.statSync(from, { throwIfNoEntry: false })?.size !== bytes) return false;
  try {
    fs.linkSync(from, path.join(draft, name));
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && /^E(?:PERM|NOTSUP|OPNOTSUPP|MLINK|XDEV)$/.test(String(error.code)))
      return false;
    throw error;
  }
}

/** Answers the ids of the projects. */
async function copyControl({ data, secret, draft }: BackupTask): Promise<ReadonlySet<string>> {
  const control = ControlDatabase.open(data, { secret });
  try {
    await control.backup(path.join(draft, CONTROL_FILE));
  } finally {
    control.close();
  }
  for (const name of [SECRET_FILE, ...scriptsOf(data)]) {
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

function scriptsOf(data: string): readonly string[] {
  const folder = path.join(data, SCRIPTS_FOLDER);
  return fs.existsSync(folder) ? fs.readdirSync(folder).map((name) => `${SCRIPTS_FOLDER}/${name}`) : [];
}

/** Whatever is in the draft but shards. */
function otherFiles(draft: string): readonly string[] {
  const inFolders = ['journal', SCRIPTS_FOLDER].flatMap((folder) =>
    fs.existsSync(path.join(draft, folder))
      ? fs.readdirSync(path.join(draft, folder)).map((name) => `${folder}/${name}`)
      : [],
  );
  return [CONTROL_FILE, SECRET_FILE, ...inFolders].filter((name) => fs.existsSync(path.join(draft, name)));
}

function checkCopy(original: string, copy: string): void {
  const [problem] = checkShard(copy);
  if (problem === undefined) return;
  throw new AppError('shard_damaged', `${original}: the data of this project is damaged (${problem})`, {
    hints: ['`wl admin check` names all that are; restore the project from an earlier backup, or delete it'],
  });
}

/** Brings a file to the disk and reads it back. */
function finished(file: string): { bytes: number; sha256: string } {
  syncPath(file);
  return sumOfFile(file);
}

/** A disk that is full, or cannot be written, is that of the backup. */
function targetError(error: unknown, draft: string): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (!/^(?:SQLITE_FULL|SQLITE_IOERR.*|ENOSPC|EDQUOT|EFBIG|EROFS|EACCES|EIO)$/.test(code)) return controlError(error);
  return new AppError('storage_unavailable', `the backup cannot be written to ${path.dirname(draft)} (${code})`, {
    hints: ['look at its free space and permissions; earlier backups are as they were'],
  });
}
