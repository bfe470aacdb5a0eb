/** Copies of journals and shards, made while a server may be running. */
import fs from 'node:fs';
import path from 'node:path';
import { AppError, codeOf } from '../../base/errors.ts';
import { namesIn } from '../../base/files/names-in.ts';
import { projectsOf } from '../journal/entry.ts';
import { HEADER_BYTES, indexAt, journalEntries, markOf } from '../journal/format.ts';
import { journalFiles, type JournalFile } from '../journal/names.ts';
import { closedAfterUse, openForReading, shardError } from '../file/shard-file.ts';
import { copyDatabase } from '../../base/files/copy-database.ts';

/** File names of the shards in `folder`, sorted; none if it does not exist. */
export function shardNames(folder: string): readonly string[] {
  return namesIn(folder)
    .filter((name) => name.endsWith('.db'))
    .sort();
}

/**
 * Copies the journals of a folder that writers may be writing to. Of a file being written, copies the whole records and nothing
 * half read; a file released meanwhile is in the shards, which are copied later. Returns the projects of which it has records.
 */
export function copyJournals(folder: string, target: string): ReadonlySet<string> {
  const projects = new Set<string>();
  if (!fs.existsSync(folder)) return projects;
  const known = new Map(journalFiles(folder).map((file) => [file.name, file]));
  for (const name of fs.readdirSync(folder).sort()) {
    if (!/^w.*\.log$/.test(name)) continue;
    const from = path.join(folder, name);
    const to = path.join(target, name);
    const file = known.get(name);
    unlessGone(() => {
      if (file === undefined) fs.copyFileSync(from, to);
      else {
        const records = wholeRecords(from, file);
        fs.writeFileSync(to, records.bytes, { mode: 0o600 });
        for (const project of records.projects) projects.add(project);
      }
    });
    // It may be released and overwritten while it is read: then its name is gone.
    if (!fs.existsSync(from)) fs.rmSync(to, { force: true });
  }
  return projects;
}

/** A gap before other records is damage or was being written: a second reading of the same length has what was being written. */
function wholeRecords(
  from: string,
  file: JournalFile,
): { readonly bytes: Uint8Array; readonly projects: ReadonlySet<string> } {
  const bytes = fs.readFileSync(from);
  const entries = [...journalEntries(bytes, file)];
  const last = entries.at(-1);
  const end = last?.end ?? (file.salt === null ? 0 : HEADER_BYTES);
  const again = entries.some(({ kind }) => kind === 'gap') ? fs.readFileSync(from) : bytes;
  const whole = again.subarray(0, end);
  // The copy is synced as a whole, so what is unreadable in it later is damage.
  const mark =
    file.salt === null || last?.kind !== 'record'
      ? []
      : [markOf({ ...file, salt: file.salt }, indexAt(bytes, last.at) + 1)];
  return { bytes: Buffer.concat([whole, ...mark]), projects: projectsOf(entries) };
}

/** Copies a shard as of one moment. False if its project was deleted meanwhile. */
export async function copyShard(file: string, target: string): Promise<boolean> {
  if (!fs.existsSync(file)) return false;
  try {
    using shard = closedAfterUse(openForReading(file));
    await copyDatabase(shard.connection, target);
    return true;
  } catch (error) {
    const known = shardError(error);
    if (known === null || known.data.code !== 'shard_damaged') throw error;
    throw new AppError(known.data.code, `${file}: ${known.message}`, { hints: known.data.hints ?? [] });
  }
}

function unlessGone(copy: () => void): void {
  try {
    copy();
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}
