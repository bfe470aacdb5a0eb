/** Whole journal files: reads them, looks for damage, and rewrites them without what must not stay. */
import fs from 'node:fs';
import path from 'node:path';
import type { AppError } from '../../base/errors.ts';
import { damageOf, setAside, type JournalDamage } from './damage.ts';
import { projectsOf } from './entry.ts';
import { encodeHeader, indexAt, journalEntries, markOf } from './format.ts';
import {
  halfMadeFiles,
  journalFiles,
  samePartition,
  spareNames,
  type JournalFile,
  type WriterPartition,
} from './names.ts';
import { shardError } from '../file/shard-file.ts';
import { parseStored } from '../file/stored-bytes.ts';
import { openedFile } from '../../base/files/opened-file.ts';
import { syncPath } from '../../base/files/sync-path.ts';
import { writeAll } from '../../base/files/write-all.ts';

export interface JournalRecord<Head> {
  readonly head: Head;
  readonly body: Uint8Array;
}

/** Damage of the files of a folder, while writers may be writing to it. */
export function findDamage(folder: string): JournalDamage[] {
  if (!fs.existsSync(folder)) return [];
  const look = (file: JournalFile): JournalDamage | null => {
    if (!fs.existsSync(path.join(folder, file.name))) return null; // its records are in the shards now
    return damageOf(file, [...journalEntries(readWhole(folder, file), file)]);
  };
  // A group being written may be read only in part the first time.
  return journalFiles(folder).flatMap((file) => (look(file) === null ? [] : (look(file) ?? [])));
}

/** The projects of which a folder's journals hold records, while writers may be writing to it. */
export function journalProjects(folder: string): ReadonlySet<string> {
  if (!fs.existsSync(folder)) return new Set();
  const files = journalFiles(folder).filter(({ name }) => fs.existsSync(path.join(folder, name)));
  return new Set(files.flatMap((file) => [...projectsOf([...journalEntries(readWhole(folder, file), file)])]));
}

/** A damaged file, and why it could not be moved (probably no space). Readers skip the damage in any case. */
export interface RepairedFile {
  readonly damage: JournalDamage;
  readonly error: AppError | null;
}

/** Sets damaged files aside, keeping what is good. Call before any writer starts. Throws AppError for a later version's file. */
export function repairJournal(folder: string): RepairedFile[] {
  return journalFiles(folder).flatMap((file) => {
    const damage = damageOf(file, [...journalEntries(readWhole(folder, file), file)]);
    return damage ? { damage, error: repairFile(folder, file) } : [];
  });
}

function repairFile(folder: string, file: JournalFile): AppError | null {
  try {
    rewriteFile(folder, file, () => false);
    return null;
  } catch (error) {
    const told = shardError(error);
    if (told === null) throw error;
    return told;
  }
}

/**
 * Rewrites the closed files of a partition, those numbered below `number`, without the records that `drop` selects and without
 * what follows the last record. Each file is replaced by a rename, so a crash leaves either the old or the new one.
 */
export function rewriteJournal<Head>(
  folder: string,
  { partition, number }: { readonly partition: WriterPartition; readonly number: number },
  drop: (head: Head) => boolean,
): void {
  removeHalfMade(folder, (file) => samePartition(file, partition));
  const closed = journalFiles(folder).filter((file) => samePartition(file, partition) && file.number < number);
  for (const file of closed) rewriteFile(folder, file, drop);
  syncPath(folder);
}

/** The number of writers where no server runs: files of any run count as foreign. */
export const NO_PARTITIONS = 0;

/** The same for files of a run with another number of writers, to which nobody writes. Only one thread may call it. */
export function rewriteForeign<Head>(folder: string, partitions: number, drop: (head: Head) => boolean): void {
  const isForeign = (file: JournalFile): boolean => file.partitions !== partitions;
  removeHalfMade(folder, isForeign);
  const foreign = journalFiles(folder).filter(isForeign);
  for (const file of foreign) rewriteFile(folder, file, drop);
  if (foreign.length > 0) syncPath(folder);
}

/** A disk that failed leaves copies with records that may have to go now, also of files that have gone meanwhile. */
function removeHalfMade(folder: string, isOwn: (of: JournalFile) => boolean): void {
  for (const { name, of } of halfMadeFiles(folder)) if (isOwn(of)) fs.unlinkSync(path.join(folder, name));
}

/** Rewrites a file without the records that `drop` selects, after setting it aside if it is damaged. */
export function rewriteFile<Head>(folder: string, file: JournalFile, drop: (head: Head) => boolean): void {
  const whole = readWhole(folder, file);
  const entries = [...journalEntries(whole, file)];
  const damage = damageOf(file, entries);
  if (damage) setAside(folder, damage, entries);
  const kept = entries.filter((entry) => entry.kind === 'record' && !drop(headOf<Head>(entry.head)));
  const pieces = kept.map(({ at, end }) => whole.subarray(at, end));
  const rewritten = Buffer.concat(file.salt === null ? pieces : framed(pieces, { ...file, salt: file.salt }));
  if (!rewritten.equals(whole)) replaceFile(path.join(folder, file.name), rewritten, kept.length);
} // prettier-ignore

/** The contents of a file of these records. With a mark at its end, as all are on disk before the file has its name. */
function framed(records: readonly Buffer[], file: JournalFile & { readonly salt: Uint8Array }): Buffer[] {
  const last = records.at(-1);
  return [encodeHeader(file), ...records, markOf(file, last === undefined ? 0 : indexAt(last, 0) + 1)];
}

/**
 * Removes files that still hold old records but that no writer of this number would look at: copies left half made by a crash,
 * and spares of a run with another number of writers. Call it before any writer starts.
 */
export function tidyJournal(folder: string, partitions: number): void {
  const spares = new Set(
    Array.from({ length: partitions }, (_, partition) => spareNames({ partition, partitions })).flat(),
  );
  const known = new Set(journalFiles(folder).map(({ name }) => name));
  for (const name of fs.readdirSync(folder)) {
    const leftOver = name.endsWith('.new') || (name.startsWith('spare-') && !spares.has(name));
    if (leftOver && !known.has(name)) fs.rmSync(path.join(folder, name));
  }
}

export const headOf = <Head>(head: Uint8Array): Head => parseStored<Head>(Buffer.from(head).toString('utf8'));

function readWhole(folder: string, file: JournalFile): Buffer {
  return fs.readFileSync(path.join(folder, file.name));
}

function replaceFile(name: string, bytes: Buffer, records: number): void {
  if (records === 0) {
    fs.unlinkSync(name);
    return;
  }
  const fresh = `${name}.new`;
  {
    using to = openedFile(fresh, 'w', 0o600);
    writeAll(to.fd, [bytes], 0);
    fs.fsyncSync(to.fd);
  }
  fs.renameSync(fresh, name);
}
