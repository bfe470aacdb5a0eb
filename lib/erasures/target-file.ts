/** The erasure log at a backup target, which may be a network folder that is away, slow, or hangs. */
import { BYTE } from '../base/text/byte.ts';
import fs, { type Stats } from 'node:fs';
import { AppError } from '../base/errors.ts';
import type { LogBytes } from './log-bytes.ts';
import { bytesOfLines, readBytes, readLog, type LogCopy, type ReadLog } from './log-file.ts';

/** What this process last saw of the file at a target. While that matches, nobody else has written to it. */
interface Seen {
  readonly inode: number;
  readonly bytes: number;
  /** Bytes of the log that it had. */
  readonly has: number;
}

export class TargetFile implements LogCopy {
  readonly #file: string;
  #seen: Seen | null = null;

  constructor(file: string) {
    this.#file = file;
  }

  /** Empty if it is missing. Throws AppError for a link, which may lead to a device that never ends, or a pipe, which may wait for ever. */
  read(): ReadLog {
    const found = fs.lstatSync(this.#file, { throwIfNoEntry: false });
    if (found?.isFile() === false)
      throw new AppError('bad_request', `${this.#file} is no regular file`, { hints: ['nothing was changed'] });
    return readLog(this.#file);
  }

  /**
   * Appends what the file lacks of a log; resolves once that is on disk. The file must exist, so that an unmounted target is not
   * taken for an empty one. Rejects with the error of the file system.
   */
  async bring(log: LogBytes): Promise<void> {
    const seen = this.#seen;
    this.#seen = null; // in case it fails
    const before = await fs.promises.stat(this.#file);
    const isLonger = seen !== null && seen.has <= log.length;
    const asSeen = isLonger && before.ino === seen.inode && before.size === seen.bytes;
    const missing = asSeen ? log.subarray(seen.has) : await lackingIn(this.#file, log);
    const { ino, size } = missing.length === 0 ? before : await append(this.#file, missing);
    this.#seen = { inode: ino, bytes: size, has: log.length };
  }
}

async function append(file: string, lines: Buffer): Promise<Stats> {
  await using handle = await fs.promises.open(file, fs.constants.O_WRONLY | fs.constants.O_APPEND);
  await handle.writeFile(lines);
  await handle.sync();
  return await handle.stat();
}

/** What to append to a file so that it has every line of a log; ends a torn last line first. */
async function lackingIn(file: string, log: LogBytes): Promise<Buffer> {
  const there = await fs.promises.readFile(file);
  const known = new Set(readBytes(there).lines);
  const lines = bytesOfLines(readBytes(log.subarray(0)).lines.filter((line) => !known.has(line)));
  return there.length > 0 && there.at(-1) !== BYTE.lineFeed ? Buffer.concat([Buffer.from('\n'), lines]) : lines;
}
