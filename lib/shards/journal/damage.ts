/**
 * Contains and reports damage of journal files: a damaged file is moved to `damaged-<name>`, and a report beside it stays
 * until the operator removes it. Whatever could be read stays in the journal.
 */
import fs from 'node:fs';
import path from 'node:path';
import { projectsOf, type JournalEntry, type JournalGap } from './entry.ts';
import type { JournalFile } from './names.ts';
import { parseStored } from '../file/stored-bytes.ts';
import { namesIn } from '../../base/files/names-in.ts';
import { syncPath } from '../../base/files/sync-path.ts';

export interface JournalDamage {
  readonly file: string;
  /** Ids of the projects that lost records, as far as known. */
  readonly projects: readonly string[];
  /** Records (requests) and bytes that cannot be read. */
  readonly records: number;
  readonly bytes: number;
}

interface Report extends JournalDamage {
  readonly found_at: string;
  /** Projects that may have bytes in the moved file; null: any project. */
  readonly holds: readonly string[] | null;
}

/** The damage that a file's entries show; null if none. */
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

/** Copies a damaged file aside before its readable part replaces it. */
export function setAside(folder: string, damage: JournalDamage, entries: readonly JournalEntry[]): void {
  const known = entries.every((entry) => entry.kind === 'record' || entry.sure);
  const holds = known ? [...new Set([...projectsOf(entries), ...damage.projects])].sort() : null;
  const report: Report = { ...damage, found_at: new Date().toISOString(), holds };
  const copy = path.join(folder, `damaged-${damage.file}`);
  fs.copyFileSync(path.join(folder, damage.file), copy);
  syncPath(copy);
  const told = path.join(folder, reportName(damage.file));
  const fresh = `${told}.new`; // a crash leaves no half of a report
  fs.writeFileSync(fresh, `${JSON.stringify(report, null, 2)}\n`, { mode: 0o600, flush: true });
  fs.renameSync(fresh, told);
  syncPath(folder);
}

/** All damage ever found in a folder of journals, unless the operator removed the reports. */
export function journalReports(folder: string): JournalDamage[] {
  return readReports(folder).map(({ file, projects, records, bytes }) => ({ file, projects, records, bytes }));
}

/** Removes moved files that may hold bytes of a project being deleted; the reports stay, since they hold none. */
export function forgetSetAside(folder: string, project: string): void {
  for (const { file, holds } of readReports(folder)) {
    if (holds !== null && !holds.includes(project)) continue;
    fs.rmSync(path.join(folder, `damaged-${file}`), { force: true });
    syncPath(folder);
  }
}

function readReports(folder: string): Report[] {
  const names = namesIn(folder).filter((name) => /^damaged-w[\w-]+\.json$/.test(name));
  return names.sort().map((name) => readReport(folder, name));
}

/** A report cut off by a crash (earlier versions wrote it in place) says only that there was damage. */
function readReport(folder: string, name: string): Report {
  const file = name.replace(/^damaged-/, '').replace(/\.json$/, '.log');
  const unknown = { file, projects: [], records: 0, bytes: 0, found_at: '', holds: null };
  try {
    return parseStored<Report>(fs.readFileSync(path.join(folder, name), 'utf8'));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return unknown;
  }
}

const reportName = (file: string): string => `damaged-${file.replace(/\.log$/, '')}.json`;
