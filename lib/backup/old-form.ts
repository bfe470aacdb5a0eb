/**
 * Backups in folders of the form before: a data folder with its manifest in `backup.json`, and the log of erasures in it and in the
 * folder of backups around it. They are restored and pruned, and no more are made.
 */
import fs from 'node:fs';
import path from 'node:path';
import { namesIn } from '../base/files/names-in.ts';
import { partialName } from '../base/files/partial-folder.ts';
import { SCRIPTS_FOLDER } from '../base/files/scripts-folder.ts';
import { FolderStore } from '../buckets/folder-store.ts';
import { download } from '../buckets/object-store.ts';
import { CONTROL_FILE, SECRET_FILE } from '../control/database.ts';
import { ERASURE_LOG, unionOf } from '../erasures/log-file.ts';
import { TargetFile } from '../erasures/target-file.ts';
import { isBackupName, type FinishedBackup } from './finished-backup.ts';
import { manifestOf } from './manifest.ts';

const MANIFEST_FILE = 'backup.json';

/** A manifest that is a pipe, or a link to a device, is none: reading it might never end. */
export const isOldBackup = (folder: string): boolean =>
  fs.lstatSync(path.join(folder, MANIFEST_FILE), { throwIfNoEntry: false })?.isFile() === true;

/** A folder is one backup, or has several, each in a folder named after its time. */
export function oldBackupsIn(folder: string): readonly FinishedBackup[] {
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
