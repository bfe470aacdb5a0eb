/** A folder of backups, each named after the time it began. They share unchanged shards as hard links. */
import fs from 'node:fs';
import path from 'node:path';
import { ERASURE_LOG } from '../erasures/log-file.ts';
import { isBackup } from './manifest.ts';
import { namesIn } from '../base/files/names-in.ts';
import { codeOf } from '../base/errors.ts';

const NAME = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z$/;
/** A backup that is being made or removed. */
const PARTIAL = /\.partial-(\d+)(?:-old)?$/;

export const backupName = (time: number): string => new Date(time).toISOString().replace(/[:.]/g, '-');

/**
 * The name of a backup that begins at `time`. Names sort in the order in which backups were made, also after the clock was set
 * back: otherwise a restore would take an earlier one for the newest, and pruning would remove what was just made.
 * @param last Name of the newest there is; null: there is none.
 */
export function nextName(last: string | null, time: number): string {
  const name = backupName(time);
  return last === null || name > last ? name : backupName(timeOf(last) + 1);
}

const timeOf = (name: string): number => Date.parse(name.replace(/(T\d\d)-(\d\d)-(\d\d)-/, '$1:$2:$3.'));

export const isBackupName = (name: string): boolean => NAME.test(name);

export const partialName = (target: string): string => `${target}.partial-${process.pid}`;

/** Paths of the complete backups in a folder, oldest first. */
export function backupsIn(folder: string): readonly string[] {
  const names = namesIn(folder).filter((name) => NAME.test(name) && isBackup(path.join(folder, name)));
  return names.sort().map((name) => path.join(folder, name));
}

/** Where a backup may have a log of erasures: inside it, and in the folder of backups around it, where the log keeps growing. */
export function logsOf(backup: string): readonly string[] {
  const folders = NAME.test(path.basename(backup)) ? [backup, path.dirname(backup)] : [backup];
  return folders.map((folder) => path.join(folder, ERASURE_LOG));
}

/** Whether a folder contains only what backups leave there. */
export function isFree(folder: string): boolean {
  return namesIn(folder).every((name) => name === ERASURE_LOG || NAME.test(name) || PARTIAL.test(name));
}

/** Removes all but the newest `keep`; returns what it removed. */
export function prune(folder: string, keep: number): readonly string[] {
  const gone = backupsIn(folder).slice(0, -keep);
  for (const backup of gone) {
    const name = partialName(backup); // only a complete backup has a backup's name
    fs.renameSync(backup, name);
    fs.rmSync(name, { recursive: true });
  }
  return gone;
}

/** What ended processes left half made or half removed, beside `target` and in it. */
export function partialsOf(target: string): readonly string[] {
  return [path.dirname(target), target].flatMap((folder) =>
    namesIn(folder)
      .filter((name) => {
        const ours = folder === target || name.startsWith(`${path.basename(target)}.`);
        const pid = PARTIAL.exec(name)?.[1];
        return ours && pid !== undefined && !isRunning(Number(pid));
      })
      .map((name) => path.join(folder, name)),
  );
}

export function removePartials(target: string): void {
  for (const partial of partialsOf(target)) fs.rmSync(partial, { recursive: true, force: true });
}

function isRunning(pid: number): boolean {
  if (pid === process.pid) return false; // left by an earlier process with the same number, or finished
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}
