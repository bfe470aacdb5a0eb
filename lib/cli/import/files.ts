/** The files that a command line names: folders with all that is in them, stdin as a file. */
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { messageOf } from '../../base/errors.ts';
import { ClientError } from '../client/client-error.ts';
import { stdinChunks } from '../client/stdin.ts';

export interface GivenFile {
  readonly path: string;
  /** For people. */
  readonly name: string;
  /** Bytes. */
  readonly size: number;
}

/** Files of an import: more are no export but a disk. */
const MOST_FILES = 100_000;
/** Bytes of a file that are read at once. */
const READ_BYTES = 524_288;

/**
 * Calls `use` with the files, those of a folder in order of their names, hidden ones left out. stdin (`-`) is kept in a file of its own
 * until then: it is read more than once. Throws ClientError for what cannot be read, and where there are none.
 */
export async function withFiles<T>(
  paths: readonly string[],
  signal: AbortSignal,
  use: (files: readonly GivenFile[]) => Promise<T>,
): Promise<T> {
  let kept: string | null = null;
  try {
    const files: GivenFile[] = [];
    for (const path of paths) {
      if (path === '-' && kept !== null) throw new ClientError('stdin (-) can be read only once.');
      if (path === '-') {
        kept = await mkdtemp(join(tmpdir(), 'wl-import-'));
        files.push(await keepStdin(join(kept, 'stdin'), signal));
      } else await gather(path, files);
    }
    if (files.length === 0) throw new ClientError(`There is no file in ${paths.join(', ')}.`);
    return await use(files);
  } finally {
    if (kept !== null) await rm(kept, { recursive: true, force: true });
  }
}

async function keepStdin(path: string, signal: AbortSignal): Promise<GivenFile> {
  await pipeline(stdinChunks(signal), createWriteStream(path, { mode: 0o600 }));
  return { path, name: 'stdin', size: (await stat(path)).size };
}

async function gather(path: string, into: GivenFile[]): Promise<void> {
  try {
    const found = await stat(path);
    if (!found.isDirectory()) into.push({ path, name: path, size: found.size });
    else {
      const names = (await readdir(path)).filter((name) => !isHiddenFile(name)).sort();
      for (const name of names) await gather(join(path, name), into);
    }
  } catch (error) {
    if (error instanceof ClientError) throw error;
    throw new ClientError(`Cannot read ${path}: ${messageOf(error)}`);
  }
  if (into.length > MOST_FILES)
    throw new ClientError(`There are more than ${MOST_FILES.toLocaleString('en')} files.`, ['Name fewer at a time.']);
}

/** Whether a path is of what systems put beside files. */
export const isHiddenFile = (path: string): boolean => /(?:^|\/)(?:\.|__MACOSX(?:\/|$))/.test(path);

/** The bytes of a file as they are. Rejects with the signal's reason if it is aborted. */
export async function* bytesOf({ path, name }: GivenFile, signal: AbortSignal): AsyncGenerator<Buffer> {
  const chunks: AsyncIterable<Buffer> = createReadStream(path, { highWaterMark: READ_BYTES });
  try {
    for await (const chunk of chunks) {
      signal.throwIfAborted();
      yield chunk;
    }
  } catch (error) {
    signal.throwIfAborted();
    throw new ClientError(`Cannot read ${name}: ${messageOf(error)}`);
  }
}

/** A hash of the content of a file, in hexadecimal. */
export async function digestOf(file: GivenFile, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of bytesOf(file, signal)) hash.update(chunk);
  return hash.digest('hex');
}
