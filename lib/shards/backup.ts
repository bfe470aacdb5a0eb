import fs from 'node:fs';
import path from 'node:path';
import { AppError } from '../errors.ts';
import { openForReading, storageError } from './shard-file.ts';

/** Pages copied in one step: all of them, since a step at a time starts again whenever the writer writes. */
const ALL_PAGES = 0x7fffffff;

/**
 * Copies journals and shards of a data folder into `target` beside a running server. Journals go first: what is sealed
 * in between is then in both, which a replay knows how to skip; the other way round it would be in neither.
 * Answers the names of the shards.
 */
export async function backupEvents(folder: string, target: string): Promise<readonly string[]> {
  copyJournals(path.join(folder, 'journal'), path.join(target, 'journal'));
  const shards = path.join(folder, 'shards');
  fs.mkdirSync(path.join(target, 'shards'), { mode: 0o700 });
  const names = shardNames(shards);
  for (const name of names) await copyShard(path.join(shards, name), path.join(target, 'shards', name));
  return names;
}

/** File names of the shards in `folder`, sorted; none when it is not there. */
export function shardNames(folder: string): readonly string[] {
  if (!fs.existsSync(folder)) return [];
  return fs
    .readdirSync(folder)
    .filter((name) => name.endsWith('.db'))
    .sort();
}

function copyJournals(folder: string, target: string): void {
  fs.mkdirSync(target, { mode: 0o700 });
  for (const name of fs.existsSync(folder) ? fs.readdirSync(folder).sort() : []) {
    if (/^w.*\.log$/.test(name)) unlessGone(() => fs.copyFileSync(path.join(folder, name), path.join(target, name)));
  }
}

async function copyShard(file: string, target: string): Promise<void> {
  if (!fs.existsSync(file)) return; // its project was deleted meanwhile
  try {
    const connection = openForReading(file);
    try {
      await connection.backup(target, { progress: () => ALL_PAGES });
    } finally {
      connection.close();
    }
  } catch (error) {
    const known = storageError(error);
    if (known === null) throw error;
    throw new AppError(known.data.code, `${file}: ${known.message}`, { hints: known.data.hints ?? [] });
  }
}

/** A journal that is released meanwhile is in the shards, which are copied after it. */
function unlessGone(copy: () => void): void {
  try {
    copy();
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
}
