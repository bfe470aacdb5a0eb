/** Extracts one project from a backup, without what was erased from it since. */
import fs from 'node:fs';
import path from 'node:path';
import { CONTROL_FILE, ControlDatabase, SECRET_FILE } from '../control/database.ts';
import type { Parcel } from '../control/operator/parcels.ts';
import { ERASURE_LOG, readLog, unionOf } from '../erasures/log-file.ts';
import { AppError } from '../base/errors.ts';
import { extractProject, forgetErased, type Extraction } from './extract-project.ts';
import { readManifest } from './manifest.ts';
import { logsOf } from './series.ts';
import { copyToDisk } from './whole-file.ts';

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
