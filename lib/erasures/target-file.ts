/** The erasure log at a backup target, which may be a network's folder: it may be away, slow, or hang. */
import type { Stats } from 'node:fs';
import fs from 'node:fs/promises';
import { readText } from './log-file.ts';

/** What this process last saw of the file at a target. As long as it is so, nobody else has written to it. */
interface Seen {
  readonly inode: number;
  readonly bytes: number;
  /** Bytes of the log that were in it. */
  readonly has: number;
}

export class TargetFile {
  readonly #file: string;
  #seen: Seen | null = null;

  constructor(file: string) {
    this.#file = file;
  }

  /**
   * Appends to the file what it lacks of a log, and resolves when that is on its disk. The file must be there: a mount that is
   * away must not be taken for an empty target. Rejects with the error of the file system.
   */
  async bring(log: Buffer): Promise<void> {
    const seen = this.#seen;
    this.#seen = null; // unless it is reached
    const before = await fs.stat(this.#file);
    const asSeen = seen !== null && before.ino === seen.inode && before.size === seen.bytes;
    const missing = asSeen ? log.subarray(seen.has).toString('utf8') : await lackingIn(this.#file, log);
    const { ino, size } = missing === '' ? before : await append(this.#file, missing);
    this.#seen = { inode: ino, bytes: size, has: log.length };
  }
}

async function append(file: string, lines: string): Promise<Stats> {
  const handle = await fs.open(file, fs.constants.O_WRONLY | fs.constants.O_APPEND);
  try {
    await handle.writeFile(lines);
    await handle.sync();
    return await handle.stat();
  } finally {
    await handle.close();
  }
}

/** What must be appended to a file so that it has every line of a log: a torn last line of it is ended first. */
async function lackingIn(file: string, log: Buffer): Promise<string> {
  const there = await fs.readFile(file, 'utf8');
  const known = new Set(readText(there).lines);
  const lines = readText(log.toString('utf8')).lines.filter((line) => !known.has(line));
  const torn = there !== '' && !there.endsWith('\n');
  return `${torn ? '\n' : ''}${lines.map((line) => `${line}\n`).join('')}`;
}
