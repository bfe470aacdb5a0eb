/** The file of an erasure log: append-only, in whole lines, each on disk before anybody is told of it. */
import fs from 'node:fs';
import path from 'node:path';
import { opened } from '../base/files/opened.ts';
import { syncPath } from '../base/files/sync-path.ts';
import { writeAll } from '../base/files/write-all.ts';
import { parseEntry, type ErasureEntry } from './entry.ts';

/** Name of the log, in a data folder, in a backup and in a folder of backups. */
export const ERASURE_LOG = 'erasures.log';

export interface ReadLog {
  readonly entries: readonly ErasureEntry[];
  /** As in the file, each once, without line feeds. */
  readonly lines: readonly string[];
  /** Lines whose checksum does not match. A last line cut off by a crash does not count: nobody was told of it. */
  readonly damaged: number;
}

/** Appends whole lines. Ends a torn last line first, so that it spoils no other. */
export function appendLines(file: string, lines: string): void {
  const isNew = !fs.existsSync(file);
  using log = opened(file, 'a+', 0o600);
  const { size } = fs.fstatSync(log.fd);
  const last = Buffer.alloc(1);
  if (size > 0) fs.readSync(log.fd, last, 0, 1, size - 1);
  const text = size > 0 && last[0] !== LINE_FEED ? `\n${lines}` : lines;
  try {
    writeAll(log.fd, [Buffer.from(text)], size);
    fs.fsyncSync(log.fd);
  } catch (error) {
    fs.ftruncateSync(log.fd, size); // a part of a line would be one that is damaged
    throw error;
  }
  if (isNew) syncPath(path.dirname(file));
}

/** Empty if there is no file. Throws AppError if the log is of a newer release. */
export function readLog(file: string): ReadLog {
  return fs.existsSync(file) ? readText(fs.readFileSync(file, 'utf8')) : { entries: [], lines: [], damaged: 0 };
}

export function readText(text: string): ReadLog {
  const entries: ErasureEntry[] = [];
  const lines = new Set<string>();
  const all = text.split('\n'); // the last is '' if its line is whole
  let damaged = 0;
  for (const [at, line] of all.entries()) {
    if (line === '' || lines.has(line)) continue;
    const entry = parseEntry(line);
    if (entry !== null) {
      lines.add(line);
      entries.push(entry);
    } else if (at < all.length - 1) damaged++;
  }
  return { entries, lines: [...lines], damaged };
}

/** The lines of several logs, each once. */
export function unionOf(logs: readonly ReadLog[]): ReadLog {
  const lines = new Set(logs.flatMap((log) => log.lines));
  const { entries } = readText([...lines, ''].join('\n'));
  return { entries, lines: [...lines], damaged: logs.reduce((sum, { damaged }) => sum + damaged, 0) };
}

/** Makes an empty log if there is none: its presence marks the place as the right one. */
export function beginLog(file: string): void {
  if (!fs.existsSync(file)) appendLines(file, '');
}

/** Writes a log of these lines; an empty file if there are none. */
export function writeLog(file: string, lines: readonly string[]): void {
  fs.writeFileSync(file, lines.map((line) => `${line}\n`).join(''), { mode: 0o600, flush: true });
}

const LINE_FEED = 10;
