/** A backup that is served or worked on: it becomes a data folder of its own, as its shards may be files of other backups too. */
import fs from 'node:fs';
import path from 'node:path';
import { shardNames } from '../shards/backup.ts';
import { BACKUP_FILE, isBackup } from './manifest.ts';
import { copyToDisk, syncPath } from './whole-file.ts';

/** Before any writer starts. Does nothing to what is no backup. */
export function makeOwn(data: string): void {
  if (!isBackup(data)) return;
  const shards = path.join(data, 'shards');
  for (const name of shardNames(shards)) {
    const file = path.join(shards, name);
    if (fs.statSync(file).nlink === 1) continue;
    copyToDisk(file, `${file}.own`);
    fs.renameSync(`${file}.own`, file);
  }
  if (fs.existsSync(shards)) syncPath(shards);
  fs.rmSync(path.join(data, BACKUP_FILE));
}
