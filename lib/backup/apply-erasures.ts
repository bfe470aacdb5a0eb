/** Repeats in the copy of a backup what a log of erasures says was done since: a restore brings nobody back. */
import fs from 'node:fs';
import path from 'node:path';
import type { Config } from '../base/config/config.ts';
import { type ControlDatabase, CONTROL_FILE } from '../control/database.ts';
import type { Actor } from '../control/types.ts';
import type { ErasureEntry } from '../erasures/entry.ts';
import { eraseListed, type ListedErasure, removeProject } from '../shards/erase/erase-listed.ts';
import { JournalFolder } from '../shards/journal/folder.ts';
import { NO_PARTITIONS } from '../shards/journal/rewrite.ts';
import { sealJournal } from '../shards/upkeep/seal-journal.ts';
import { shardPath } from '../shards/file/shard-file.ts';
import { usageTotals } from '../shards/writer/usage-totals.ts';
import { AppError } from '../base/errors.ts';
import { controlSchemaProblems } from '../control/process/check.ts';

/** Settings for sealing what is pending in the journal. */
export type SealSettings = Pick<Config, 'segmentRows' | 'geoipFile'>;

export interface Applied {
  /** Ids of projects that were in the copy and were deleted from it. */
  readonly deleted: readonly string[];
  /** Events of erased users that were in the copy. */
  readonly events: number;
}

/** The actor in the audit trail. */
export const BY: Actor = { name: 'wl admin restore', ip: null };

/** The folder must not be served. Can be repeated. Throws AppError when a shard is damaged. */
export async function applyErasures(
  folder: string,
  control: ControlDatabase,
  entries: readonly ErasureEntry[],
  settings: SealSettings,
): Promise<Applied> {
  const projects = new Map((await control.projects.list()).map(({ id }) => [control.hashId('', id), id]));
  const deleted = new Set<string>();
  const erased = new Map<string, ListedErasure[]>();
  for (const entry of entries) {
    const id = projects.get(entry.project);
    if (id === undefined) continue;
    if (entry.kind === 'project') deleted.add(id);
    else erased.set(id, [...(erased.get(id) ?? []), entry]);
  }
  for (const id of deleted) await deleteCopy(folder, control, id);
  const kept = [...erased].filter(([id]) => !deleted.has(id));
  for (const [id] of kept) await control.alerts.runs.forget(id);
  return { deleted: [...deleted], events: eraseUsers(folder, control, new Map(kept), settings) };
}

/** Deletes a project from a folder that is not served. */
export async function deleteCopy(folder: string, control: ControlDatabase, id: string): Promise<void> {
  await control.projects.delete(id, BY);
  removeProject(folder, id);
  await control.projects.markPurged(id);
}

/** Seals the journal first: its records hold arrival numbers that later ones follow. */
function eraseUsers(
  folder: string,
  control: ControlDatabase,
  erased: ReadonlyMap<string, readonly ListedErasure[]>,
  settings: SealSettings,
): number {
  if (erased.size === 0) return 0;
  sealJournal({ folder, ...settings, onUsage: (day) => control.usage.record(usageTotals(day)) });
  const journal = path.join(folder, 'journal');
  for (const name of fs.readdirSync(journal)) if (name.startsWith('spare-')) fs.rmSync(path.join(journal, name));
  const journals = new JournalFolder(folder, NO_PARTITIONS);
  let events = 0;
  for (const [id, listed] of erased) {
    if (!fs.existsSync(shardPath(folder, id))) continue;
    journals.scrub(id);
    events += eraseListed(folder, id, listed, (text) => control.hashId(id, text));
  }
  return events;
}

/**
 * Throws AppError if the control database of a backup has what Windlass does not make: triggers and views would run with what is
 * read and written from now on. @param copy The folder with the database, which nobody has opened yet.
 */
export function refuseForeign(backup: string, copy: string): void {
  const problems = controlSchemaProblems(copy);
  if (problems.length === 0) return;
  throw new AppError('bad_request', `the backup ${backup} cannot be used: in ${CONTROL_FILE}, ${problems.join('; ')}`, {
    hints: [
      'nothing was changed; restore a backup that has only what Windlass makes',
      'if you added that yourself, drop it from the database it came from, and back that up again',
    ],
  });
}
