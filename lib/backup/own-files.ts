/** Turns a backup that is served or worked on into a data folder with its own files: other backups may share its shards. */
import fs from 'node:fs';
import path from 'node:path';
import { ControlDatabase } from '../control/database.ts';
import { ERASURE_LOG, readLog, unionOf, writeLog } from '../erasures/log-file.ts';
import { shardNames } from '../shards/upkeep/backup.ts';
import { applyErasures, type SealSettings } from './apply-erasures.ts';
import { MANIFEST_FILE } from './manifest.ts';
import { logsOf } from './series.ts';
import { copyToDisk } from './whole-file.ts';
import { syncPath } from '../base/files/sync-path.ts';

/** Call for a backup, before any writer starts. Erases users who were erased after it was made. */
export async function makeOwn(data: string, secret: string | null, settings: SealSettings): Promise<void> {
  const shards = path.join(data, 'shards');
  for (const name of shardNames(shards)) {
    const file = path.join(shards, name);
    if (fs.statSync(file).nlink === 1) continue;
    copyToDisk(file, `${file}.own`);
    fs.renameSync(`${file}.own`, file);
  }
  if (fs.existsSync(shards)) syncPath(shards);
  const log = unionOf(logsOf(path.resolve(data)).map(readLog));
  {
    await using control = await ControlDatabase.open(data, { secret });
    await applyErasures(data, control, log.entries, settings);
  }
  writeLog(path.join(data, ERASURE_LOG), log.lines);
  fs.rmSync(path.join(data, MANIFEST_FILE));
}
