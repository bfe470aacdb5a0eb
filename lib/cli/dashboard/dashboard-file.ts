/** Dashboards in files, checked. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { checkDashboard, type Checked } from '../../dashboards/check.ts';
import type { Dashboard } from '../../dashboards/dashboard.ts';
import { atStart, problemLine } from '../../dashboards/problem.ts';
import { MAX_FILE_BYTES, tooLarge } from '../../dashboards/yaml-file.ts';
import { ClientError } from '../client/client-error.ts';
import { readStdin } from '../client/stdin.ts';
import { messageOf } from '../../base/errors.ts';

/** Files of a folder. */
const MAX_FILES = 200;

export interface DashboardFile {
  /** As named, or joined to its folder; `-` is stdin. */
  readonly file: string;
  readonly text: string;
  readonly checked: Checked;
}

/** One file; `-` reads stdin. Throws ClientError if it cannot be read; problems in it are in `checked`. */
export async function readDashboard(file: string, signal: AbortSignal): Promise<DashboardFile> {
  if (file === '-') {
    const text = await readStdin(MAX_FILE_BYTES, signal);
    return { file, text, checked: checkDashboard(text) };
  }
  try {
    const { size } = await stat(file);
    if (size > MAX_FILE_BYTES) {
      return { file, text: '', checked: { dashboard: null, problems: [atStart(tooLarge(size))] } };
    }
    const text = (await readFile(file, 'utf8')).replace(/^\uFEFF/, '');
    return { file, text, checked: checkDashboard(text) };
  } catch (error) {
    throw unreadable(file, error);
  }
}

/** A file, or all `*.yaml` and `*.yml` of a folder by name. */
export async function readDashboards(path: string, signal: AbortSignal): Promise<readonly DashboardFile[]> {
  if (!(await isFolder(path))) return [await readDashboard(path, signal)];
  const names = await dashboardNames(path);
  if (names.length === 0) throw new ClientError(`${path} has no file that ends in .yaml or .yml.`);
  if (names.length > MAX_FILES) throw new ClientError(`${path} has ${names.length} files; the limit is ${MAX_FILES}.`);
  const files: DashboardFile[] = [];
  for (const name of names) files.push(await readDashboard(join(path, name), signal));
  return files;
}

/** The dashboard of a file. Throws ClientError that lists all its problems. */
export function soundDashboard({ file, checked }: DashboardFile): Dashboard {
  if (checked.dashboard !== null) return checked.dashboard;
  const count = checked.problems.length === 1 ? 'a problem' : `${checked.problems.length} problems`;
  throw new ClientError(
    `The dashboard has ${count}:`,
    checked.problems.map((problem) => problemLine(file, problem)),
  );
}

/** Whether a path names a folder. Throws ClientError if it does not exist. */
export async function isFolder(path: string): Promise<boolean> {
  if (path === '-') return false;
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    throw unreadable(path, error);
  }
}

export async function dashboardNames(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    throw unreadable(folder, error);
  });
  return names.filter(isDashboardName).sort();
}

export function isDashboardName(name: string): boolean {
  return /\.ya?ml$/.test(name) && !name.startsWith('.');
}

function unreadable(file: string, error: unknown): ClientError {
  return new ClientError(`Cannot read ${file}: ${messageOf(error)}`);
}
