/** Extracts one project from a backup or a data folder, which may be served: a shard file with all its events sealed. */
import fs from 'node:fs';
import path from 'node:path';
import { ControlDatabase, CONTROL_FILE, SECRET_FILE } from '../control/database.ts';
import type { ErasureEntry } from '../erasures/entry.ts';
import { AppError } from '../base/errors.ts';
import { copyJournals, copyShard } from '../shards/upkeep/backup.ts';
import { checkShard } from '../shards/upkeep/check.ts';
import { eraseListed } from '../shards/erase/erase-listed.ts';
import { NO_PARTITIONS, rewriteForeign } from '../shards/journal/rewrite.ts';
import type { RecordHead } from '../shards/journal/record-head.ts';
import { sealJournal } from '../shards/upkeep/seal-journal.ts';
import { openForWriting, shardPath } from '../shards/file/shard-file.ts';
import type { SealSettings } from './apply-erasures.ts';
import { isBackup, readManifest, torn } from './manifest.ts';
import { copyToDisk, sumOfFile } from './whole-file.ts';
import type { Parcel } from '../control/operator/parcels.ts';
import { ERASURE_LOG, readLog, unionOf } from '../erasures/log-file.ts';
import { logsOf } from './series.ts';

export interface Extraction {
  /** A data folder, or a backup. */
  readonly from: string;
  readonly project: string;
  /** An empty folder in which the shard is made. */
  readonly work: string;
  readonly settings: SealSettings;
}

/** Returns the path of the shard in `work`. Rejects with AppError when the project's data is damaged. */
export async function extractProject({ from, project, work, settings }: Extraction): Promise<string> {
  for (const folder of ['journal', 'shards']) fs.mkdirSync(path.join(work, folder), { recursive: true, mode: 0o700 });
  const journal = path.join(work, 'journal');
  copyJournals(path.join(from, 'journal'), journal); // first, so that what is sealed meanwhile is in both
  rewriteForeign<RecordHead>(journal, NO_PARTITIONS, (head) => head.project.id !== project);
  const file = shardPath(work, project);
  if (isBackup(from)) takeFromBackup(from, project, file);
  else await copyShard(shardPath(from, project), file);
  if (fs.existsSync(file)) checkWhole(project, file);
  sealJournal({ folder: work, ...settings, onUsage: () => undefined });
  openForWriting(file).close(); // creates the shard of a project without data
  return file;
}

function takeFromBackup(backup: string, project: string, file: string): void {
  const known = readManifest(backup).files.find((each) => each.path === `shards/${project}.db`);
  if (known === undefined) return;
  const from = path.join(backup, known.path);
  if (!fs.existsSync(from)) throw torn(backup, `${known.path} is missing`);
  copyToDisk(from, file);
  if (sumOfFile(file).sha256 !== known.sha256) throw torn(backup, `${known.path} differs from what was written`);
}

/** Throws AppError `shard_damaged`. */
export function checkWhole(project: string, file: string): void {
  const [problem] = checkShard(file);
  if (problem === undefined) return;
  throw new AppError('shard_damaged', `the data of project ${project} is damaged (${problem})`, {
    hints: ['`wl admin check` names all that are; restore the project from a backup'],
  });
}

/** Erases from an extracted shard what a log says was erased of the project. Returns the number of erased events. */
export function forgetErased(
  work: string,
  project: string,
  { control, entries }: { readonly control: ControlDatabase; readonly entries: readonly ErasureEntry[] },
): number {
  const hash = control.hashId('', project);
  const own = entries.flatMap((entry) => (entry.kind === 'user' && entry.project === hash ? entry : []));
  return own.length === 0 ? 0 : eraseListed(work, project, own, (id) => control.hashId(project, id));
}

/** From a backup, without what was erased from it since. */
export interface Wanted extends Extraction {
  /** The data folder that it is for, and its control database. */
  readonly data: string;
  readonly control: ControlDatabase;
  /** null: the one in the backup. */
  readonly secret: string | null;
}

export interface ProjectOfBackup {
  readonly parcel: Parcel;
  readonly shard: string;
  /** When the backup began, ISO 8601. */
  readonly beganAt: string;
  readonly erasedEvents: number;
}

/** Rejects with AppError if it is no backup, does not have the project, or the project was deleted since. */
export async function projectOfBackup({ data, control, secret, ...wanted }: Wanted): Promise<ProjectOfBackup> {
  const { from, project, work } = wanted;
  const { began_at: beganAt } = readManifest(from);
  for (const name of [CONTROL_FILE, SECRET_FILE])
    if (fs.existsSync(path.join(from, name))) copyToDisk(path.join(from, name), path.join(work, name));
  await using then = await ControlDatabase.open(work, { secret });
  const sources = [
    { control: then, entries: unionOf(logsOf(from).map(readLog)).entries },
    { control, entries: readLog(path.join(data, ERASURE_LOG)).entries },
  ];
  for (const source of sources) {
    const hash = source.control.hashId('', project);
    if (source.entries.some((entry) => entry.kind === 'project' && entry.project === hash)) throw deleted(project);
  }
  const parcel = await then.operator.parcels.pack(project, false);
  const shard = await extractProject(wanted);
  const erasedEvents = sources.reduce((sum, source) => sum + forgetErased(work, project, source), 0);
  return { parcel, shard, beganAt, erasedEvents };
}

function deleted(project: string): AppError {
  return new AppError('conflict', `project ${project} was deleted: its data must not come back`, {
    hints: ['the log of erasures has the deletion; create a new project instead'],
  });
}
