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
import { type SealSettings, refuseForeign } from './apply-erasures.ts';
import type { Parcel } from '../control/operator/parcels.ts';
import { ERASURE_LOG, readLog } from '../erasures/log-file.ts';
import { fetchFiles, type BackupSource } from './source.ts';

interface Work {
  readonly project: string;
  /** An empty folder in which the shard is made. */
  readonly work: string;
  readonly settings: SealSettings;
}

/** From a data folder. Returns the path of the shard in `work`. Rejects with AppError when the project's data is damaged. */
export async function extractProject(data: string, task: Work): Promise<string> {
  const { project, work } = task;
  copyJournals(path.join(data, 'journal'), path.join(work, 'journal')); // first, so that what is sealed meanwhile is in both
  await copyShard(shardPath(data, project), shardPath(work, project));
  return sealed(task);
}

/** The shard of the project in `work`, with all of its events that the journal there has. */
function sealed({ project, work, settings }: Work): string {
  rewriteForeign<RecordHead>(path.join(work, 'journal'), NO_PARTITIONS, (head) => head.project.id !== project);
  const file = shardPath(work, project);
  if (fs.existsSync(file)) checkWhole(project, file);
  sealJournal({ folder: work, ...settings, onUsage: () => undefined });
  openForWriting(file).close(); // creates the shard of a project without data
  return file;
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
  const own = entries.flatMap((entry) => (entry.kind !== 'project' && entry.project === hash ? entry : []));
  return own.length === 0 ? 0 : eraseListed(work, project, own, (id) => control.hashId(project, id));
}

/** From a backup, without what was erased from it since. */
export interface WantedProject extends Work {
  readonly source: BackupSource;
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

/** Rejects with AppError if the backup does not have the project, or the project was deleted since. */
export async function projectOfBackup({
  source,
  data,
  control,
  secret,
  ...task
}: WantedProject): Promise<ProjectOfBackup> {
  const { project, work } = task;
  const own = [CONTROL_FILE, SECRET_FILE, `shards/${project}.db`];
  const files = source.manifest.files.filter(({ path: name }) => own.includes(name) || name.startsWith('journal/'));
  await fetchFiles(source, files, work);
  refuseForeign(source.name, work);
  await using then = await ControlDatabase.open(work, { secret });
  const logs = [
    { control: then, entries: source.log.entries },
    { control, entries: readLog(path.join(data, ERASURE_LOG)).entries },
  ];
  for (const log of logs) {
    const hash = log.control.hashId('', project);
    if (log.entries.some((entry) => entry.kind === 'project' && entry.project === hash)) throw deleted(project);
  }
  const parcel = await then.operator.parcels.pack(project, false);
  const shard = sealed(task);
  const erasedEvents = logs.reduce((sum, log) => sum + forgetErased(work, project, log), 0);
  return { parcel, shard, beganAt: source.manifest.began_at, erasedEvents };
}

function deleted(project: string): AppError {
  return new AppError('conflict', `project ${project} was deleted: its data must not come back`, {
    hints: ['the log of erasures has the deletion; create a new project instead'],
  });
}
