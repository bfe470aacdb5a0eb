/** Dashboards in files, checked. */
import { readdir, readFile, stat, open } from 'node:fs/promises';
import { join } from 'node:path';
import { checkDashboard, type Checked } from '../../dashboards/check.ts';
import type { Dashboard } from '../../dashboards/dashboard.ts';
import { type Problem, atStart, problemLine } from '../../dashboards/problem.ts';
import { MAX_FILE_BYTES, fileTooLarge } from '../../dashboards/yaml-file.ts';
import { ClientError } from '../client/client-error.ts';
import { readStdin } from '../client/stdin.ts';
import { messageOf, codeOf } from '../../base/errors.ts';
import { isRecord } from '../../base/is-record.ts';
import type { ClientSession } from '../client/client-command.ts';

const MAX_FILES = 200;

export interface DashboardFile {
  /** As named, or joined to its folder; `-` is stdin. */
  readonly file: string;
  readonly text: string;
  readonly checked: Checked;
}

/** One file; `-` reads stdin. Throws ClientError if it cannot be read; problems in it are in `checked`. */
export async function readDashboard(file: string, signal: AbortSignal): Promise<DashboardFile> {
  const { text, bytes } = await readText(file, signal);
  if (text !== null) return { file, text, checked: checkDashboard(text) };
  return { file, text: '', checked: { dashboard: null, problems: [atStart(fileTooLarge(bytes))] } };
}

/** `text` null: it is longer than any file that is read here. */
interface TextFile {
  readonly file: string;
  readonly text: string | null;
  readonly bytes: number;
}

async function readText(file: string, signal: AbortSignal): Promise<TextFile> {
  if (file === '-') return { file, text: await readStdin(MAX_FILE_BYTES, signal), bytes: 0 };
  try {
    const found = await stat(file);
    if (found.isDirectory()) throw new ClientError(`${file} is a folder; name one of its files.`);
    const { size } = found;
    const text = size > MAX_FILE_BYTES ? null : (await readFile(file, 'utf8')).replace(/^\uFEFF/, '');
    return { file, text, bytes: size };
  } catch (error) {
    throw unreadable(file, error);
  }
}

/** A file, or all `*.yaml` and `*.yml` of a folder by name. */
export const readDashboards = (path: string, signal: AbortSignal): Promise<readonly DashboardFile[]> =>
  readAll(path, (file) => readDashboard(file, signal));

/** The same, as they are written. */
export const readTexts = (path: string, signal: AbortSignal): Promise<readonly TextFile[]> =>
  readAll(path, (file) => readText(file, signal));

async function readAll<T>(path: string, read: (file: string) => Promise<T>): Promise<readonly T[]> {
  if (!(await isFolder(path))) return [await read(path)];
  const names = await dashboardNames(path);
  if (names.length === 0) throw new ClientError(`${path} has no file that ends in .yaml or .yml.`);
  if (names.length > MAX_FILES) throw new ClientError(`${path} has ${names.length} files; the limit is ${MAX_FILES}.`);
  const files: T[] = [];
  for (const name of names) files.push(await read(join(path, name)));
  return files;
}

/** What is wrong with the files, ids that two of them have included. */
export function problemsOf(files: readonly DashboardFile[]): readonly (Problem & { readonly file: string })[] {
  const ids = new Map<string, string>();
  return files.flatMap(({ file, checked }) => {
    const id = checked.dashboard?.id ?? null;
    const other = id === null ? undefined : ids.get(id);
    if (id !== null && other === undefined) ids.set(id, file);
    const twice = other === undefined ? [] : [atStart(`${other} has the same id "${id}"`)];
    return [...checked.problems, ...twice].map((problem) => ({ file, ...problem }));
  });
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
  if (error instanceof ClientError) return error;
  if (isRecord(error) && error['code'] === 'ENOENT')
    return new ClientError(`Cannot read ${file}: there is no such file.`);
  return new ClientError(`Cannot read ${file}: ${messageOf(error)}`);
}

export const OUTPUT_OPTION = {
  type: 'string',
  requiresArg: true,
  default: '-',
  describe: 'The file to write; - is stdout',
} as const;

/** Writes a text; replaces an existing file only with --yes. `mode`: set before the text is written. Throws ClientError. */
export async function writeOutput(
  { terminal, globals }: ClientSession,
  { output, text, mode }: { output: string; text: string; mode?: number },
): Promise<void> {
  if (output === '-') {
    terminal.print(text);
    return;
  }
  try {
    await using handle = await open(output, globals.yes ? 'w' : 'wx', mode);
    if (mode !== undefined) await handle.chmod(mode); // it may have existed before
    await handle.writeFile(text);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') throw new ClientError(`${output} already exists.`, ['Use --yes to overwrite it.']);
    throw new ClientError(`Cannot write ${output}: ${messageOf(error)}`);
  }
  terminal.say(`wl: wrote ${output}`);
}
