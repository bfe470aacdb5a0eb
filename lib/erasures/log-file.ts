/** The file of an erasure log: append-only, in whole lines, each on disk before anybody is told of it. */
import { BYTE } from '../base/text/byte.ts';
import fs from 'node:fs';
import path from 'node:path';
import { messageOf } from '../base/errors.ts';
import { openedFile } from '../base/files/opened-file.ts';
import { syncPath } from '../base/files/sync-path.ts';
import { writeAll } from '../base/files/write-all.ts';
import { LogFileBytes, type LogBytes } from './log-bytes.ts';
import { parseEntry, type ErasureEntry } from './entry.ts';
import { filePieces } from '../base/files/file-pieces.ts';

/** Name of the log, in a data folder, in a backup and in a folder of backups. */
export const ERASURE_LOG = 'erasures.log';

export interface ReadLog {
  readonly entries: readonly ErasureEntry[];
  /** As in the file, each once, without line feeds. */
  readonly lines: readonly string[];
  /** Lines whose checksum does not match. A last line cut off by a crash does not count: nobody was told of it. */
  readonly damaged: number;
}

/** The log of erasures at one backup target: a folder or a bucket. */
export interface LogCopy {
  /** Throws AppError if it is no log that can be read. */
  read(): ReadLog | Promise<ReadLog>;
  /** Resolves once all lines of a log are on the target's disk. Rejects when it is unreachable. */
  bring(log: LogBytes): Promise<void>;
}

/** Appends whole lines. Removes a torn last line first, and ends what else has no end, so that it spoils no other. */
export function appendLines(file: string, lines: string): void {
  const isNew = !fs.existsSync(file);
  const bytes = new LogFileBytes(file);
  using log = openedFile(file, 'a+', 0o600);
  const { size } = fs.fstatSync(log.fd);
  const rest = bytes.subarray(bytes.length, Math.min(size, bytes.length + MAX_LINE)).toString('latin1');
  const isTorn = TORN.test(rest) && parseEntry(rest) === null;
  const end = isTorn ? bytes.length : size;
  if (isTorn) fs.ftruncateSync(log.fd, end);
  try {
    writeAll(log.fd, [Buffer.from(rest === '' || isTorn ? lines : `\n${lines}`)], end);
    fs.fsyncSync(log.fd);
  } catch (error) {
    fs.ftruncateSync(log.fd, end); // a part of a line would be one that is damaged
    throw error;
  }
  if (isNew) syncPath(path.dirname(file));
}

/** Empty if there is no file. Throws AppError if the log is of a newer release. */
export function readLog(file: string): ReadLog {
  return readLines(fs.existsSync(file) ? filePieces(file) : []);
}

/** The same of bytes in memory. */
export function readBytes(bytes: Buffer): ReadLog {
  return readLines([bytes]);
}

function readLines(pieces: Iterable<Buffer>): ReadLog {
  const entries: ErasureEntry[] = [];
  const lines = new Set<string>();
  let damaged = 0;
  for (const { line, isWhole } of linesIn(pieces)) {
    if (line === '' || lines.has(line)) continue;
    const entry = parseEntry(line);
    if (entry !== null) {
      lines.add(line);
      entries.push(entry);
    } else if (isWhole) damaged++;
  }
  return { entries, lines: [...lines], damaged };
}

/** What is wrong with a log, in words for whoever runs the service; null: nothing is. Whole lines only: the last may just be written. */
export function logProblem(file: string): string | null {
  try {
    const { damaged } = readLog(file);
    if (damaged === 0) return null;
    const lines = damaged === 1 ? '1 line' : `${damaged} lines`;
    return `${ERASURE_LOG}: ${lines} cannot be read; a restore may bring back whom they name, unless a backup's log has them`;
  } catch (error) {
    return `${ERASURE_LOG}: ${messageOf(error)}`;
  }
}

/** The lines of several logs, each once. */
export function unionOf(logs: readonly ReadLog[]): ReadLog {
  const lines = [...new Set(logs.flatMap((log) => log.lines))];
  const entries = lines.flatMap((line) => parseEntry(line) ?? []);
  return { entries, lines, damaged: logs.reduce((sum, { damaged }) => sum + damaged, 0) };
}

/** Makes an empty log if there is none: its presence marks the place as the right one. */
export function beginLog(file: string): void {
  if (!fs.existsSync(file)) appendLines(file, '');
}

/** Writes a log of these lines; an empty file if there are none. */
export function writeLog(file: string, lines: readonly string[]): void {
  fs.writeFileSync(file, bytesOfLines(lines), { mode: 0o600, flush: true });
}

/** Lines as a log has them. Never one text: those of a long log are more than a text may have. */
export function bytesOfLines(lines: readonly string[]): Buffer {
  return Buffer.concat(lines.map((line) => Buffer.from(`${line}\n`)));
}

/** How a line begins, as far as a crash let it be written: in what else has no end, lines may be lost. */
const TORN = /^[0-9a-f]{1,8}(?: (?:\{[ -~]*)?)?$/;

/** No release has written a longer line: such a one is damage, which may be as long as the file. */
const MAX_LINE = 64 << 20; // bytes
const TOO_LONG = 'too long';

/** Without their line feeds. `isWhole`: it had one. */
function* linesIn(pieces: Iterable<Buffer>): Generator<{ readonly line: string; readonly isWhole: boolean }> {
  let before: readonly Buffer[] = [];
  let length = 0;
  const ended = (): string => (length > MAX_LINE ? TOO_LONG : Buffer.concat(before).toString('utf8'));
  const add = (part: Buffer): void => {
    length += part.length;
    before = length > MAX_LINE ? [] : [...before, part];
  };
  for (const piece of pieces) {
    let at = 0;
    for (let end = piece.indexOf(BYTE.lineFeed); end >= 0; end = piece.indexOf(BYTE.lineFeed, at)) {
      add(piece.subarray(at, end));
      yield { line: ended(), isWhole: true };
      [before, length, at] = [[], 0, end + 1];
    }
    add(piece.subarray(at));
  }
  if (length > 0) yield { line: ended(), isWhole: false };
}
