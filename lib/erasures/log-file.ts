/** The file of an erasure log: only ever appended to, whole lines at a time, each on the disk before anybody is told of it. */
import fs from 'node:fs';
import path from 'node:path';
import { syncPath } from '../base/files/sync-path.ts';
import { parseEntry, type ErasureEntry } from './entry.ts';

/** Of the log, in a data folder, in a backup and in a folder of backups. */
export const ERASURE_LOG = 'erasures.log';

export interface ReadLog {
  readonly entries: readonly ErasureEntry[];
  /** As they stand in the file, each once, without line feeds. */
  readonly lines: readonly string[];
  /** Lines that do not have their checksum. A last one that a crash has cut off is none of them: nobody was told of it. */
  readonly damaged: number;
}

/** Appends whole lines. A torn last line is ended first, so that it takes no other with it. */
export function appendLines(file: string, lines: string): void {
  const isNew = !fs.existsSync(file);
  const fd = fs.openSync(file, 'a+', 0o600);
  try {
    const { size } = fs.fstatSync(fd);
    const last = Buffer.alloc(1);
    if (size > 0) fs.readSync(fd, last, 0, 1, size - 1);
    fs.writeSync(fd, size > 0 && last[0] !== LINE_FEED ? `\n${lines}` : lines);
    fs.fsyncSync(fd);
  } finally {
    fs.closeSync(fd);
  }
  if (isNew) syncPath(path.dirname(file));
}

/** Empty where there is no file. Throws AppError for a log of a newer release. */
export function readLog(file: string): ReadLog {
  return fs.existsSync(file) ? readText(fs.readFileSync(file, 'utf8')) : { entries: [], lines: [], damaged: 0 };
}

export function readText(text: string): ReadLog {
  const entries: ErasureEntry[] = [];
  const lines = new Set<string>();
  const all = text.split('\n');
  const cutOff = all.pop(); // '' where the last line is whole
  let damaged = 0;
  for (const line of all) {
    if (line === '' || lines.has(line)) continue;
    const entry = parseEntry(line);
    if (entry === null) {
      damaged++;
      continue;
    }
    lines.add(line);
    entries.push(entry);
  }
  const last = cutOff === undefined || cutOff === '' ? null : parseEntry(cutOff);
  if (last !== null && !lines.has(cutOff!)) {
    lines.add(cutOff!);
    entries.push(last);
  }
  return { entries, lines: [...lines], damaged };
}

/** What several logs say, each line once. */
export function unionOf(logs: readonly ReadLog[]): ReadLog {
  const lines = new Set(logs.flatMap((log) => log.lines));
  const { entries } = readText([...lines, ''].join('\n'));
  return { entries, lines: [...lines], damaged: logs.reduce((sum, { damaged }) => sum + damaged, 0) };
}

/** Makes an empty log where there is none: what is there shows that the place is the one that is meant. */
export function beginLog(file: string): void {
  if (!fs.existsSync(file)) appendLines(file, '');
}

/** Makes a log of lines; an empty file where there are none. */
export function writeLog(file: string, lines: readonly string[]): void {
  fs.writeFileSync(file, lines.map((line) => `${line}\n`).join(''), { mode: 0o600, flush: true });
}

const LINE_FEED = 10;
