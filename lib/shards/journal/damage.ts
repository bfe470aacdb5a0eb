/**
 * Damage of journal files, contained and told: a damaged file is set aside as `damaged-<name>`, with a report beside it that stays
 * until the operator removes it. What could be read of it stays in the journal.
 */
import fs from 'node:fs';
import path from 'node:path';
import { HEAD_START, projectOf, type JournalEntry, type JournalGap } from './entry.ts';
import type { JournalFile } from './names.ts';
import { parseStored } from '../file/stored-json.ts';
import { syncPath } from '../../base/files/sync-path.ts';

/** What was lost of one journal file. */
export interface JournalDamage {
  /** Name of the file. */
  readonly file: string;
  /** Ids of the projects whose records were lost, as far as that can be told. */
  readonly projects: readonly string[];
  /** Records (requests) and bytes that cannot be read. */
  readonly records: number;
  readonly bytes: number;
}

interface Report extends JournalDamage {
  readonly found_at: string;
  /** Projects that the file set aside may hold bytes of; null: any. */
  readonly holds: readonly string[] | null;
}

/** The damage that the entries of a file show; null when they show none. */
export function damageOf({ name }: JournalFile, entries: readonly JournalEntry[]): JournalDamage | null {
  const gaps = entries.filter((entry) => entry.kind === 'gap');
  if (gaps.length === 0) return null;
  const sum = (of: (gap: JournalGap) => number): number => gaps.reduce((total, gap) => total + of(gap), 0);
  return {
    file: name,
    projects: [...new Set(gaps.flatMap(({ projects }) => projects))].sort(),
    records: sum(({ records }) => records),
    bytes: sum(({ at, end }) => end - at),
  };
}

/** Copies a damaged file aside, before what is good of it takes its place. */
export function setAside(folder: string, damage: JournalDamage, entries: readonly JournalEntry[]): void {
  const readable = entries.flatMap((entry) => (entry.kind === 'record' ? projectOf(entry.head.subarray(0, HEAD_START)) : []));
  const known = entries.every((entry) => entry.kind === 'record' || entry.sure);
  const projects = [...readable, ...damage.projects].flatMap((project) => project ?? []);
  const holds = known ? [...new Set(projects)].sort() : null;
  const report: Report = { ...damage, found_at: new Date().toISOString(), holds };
  const copy = path.join(folder, `damaged-${damage.file}`);
  fs.copyFileSync(path.join(folder, damage.file), copy);
  sync(copy);
  const told = path.join(folder, reportName(damage.file));
  fs.writeFileSync(told, `${JSON.stringify(report, null, 2)}\n`, { mode: 0o600 });
  sync(told);
  syncPath(folder);
} // prettier-ignore

/** What was ever found damaged in a folder of journals, unless the operator removed the reports. */
export function journalReports(folder: string): JournalDamage[] {
  return readReports(folder).map(({ report: { file, projects, records, bytes } }) => ({
    ...{ file, projects, records, bytes },
  }));
}

/** Removes the files set aside that may hold bytes of a project whose data goes; the reports stay, which hold none. */
export function forgetSetAside(folder: string, project: string): void {
  for (const { report } of readReports(folder)) {
    if (report.holds !== null && !report.holds.includes(project)) continue;
    fs.rmSync(path.join(folder, `damaged-${report.file}`), { force: true });
    syncPath(folder);
  }
}

function readReports(folder: string): { report: Report }[] {
  if (!fs.existsSync(folder)) return [];
  const names = fs.readdirSync(folder).filter((name) => /^damaged-w[\w-]+\.json$/.test(name));
  return names.sort().map((name) => ({ report: parseStored<Report>(fs.readFileSync(path.join(folder, name), 'utf8')) }));
} // prettier-ignore

const reportName = (file: string): string => `damaged-${file.replace(/\.log$/, '')}.json`;

function sync(file: string): void {
  const fd = fs.openSync(file, 'r+');
  try {
    fs.fsyncSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}
