/**
 * The journal of one writer thread: files of records, appended for all its tenants at once and synced before anything is
 * acknowledged. A record is kept until what it holds is sealed in a shard. A plain file, because a request is one sequential write
 * of its bytes; a table in SQLite writes each of them twice and keeps a tree that nobody asks.
 *
 * Record, little-endian: u32 length of what follows the checksum · u32 CRC-32 of it, begun with the file's number · u32 length of
 * the head · head (JSON) · body. Numbers of files only grow, also over restarts. A torn record was never acknowledged and ends
 * its file, and so does what an earlier use of the file left: its checksum was begun with another number.
 *
 * Files that are not needed any more are kept and written over: on ext4 that takes about two thirds of the time of a growing file.
 */
import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import { parseStored } from './stored-json.ts';
import { syncFolder } from './sync-folder.ts';

const PREFIX = 12;
/** Files that wait to be written over. */
const SPARES = 2;
/** A file is followed by the next at this length, or at its share of what all may hold. Bytes. */
const FILE_BYTES = 32 << 20;
const FILES = 8;
/** No record is longer: a body is at most 5 MiB by default, and a setting may raise that. */
const MAX_RECORD = 1 << 30;

export interface JournalRecord<Head> {
  readonly head: Head;
  readonly body: Uint8Array;
}

export class Journal<Head> {
  readonly #folder: string;
  readonly #lane: Lane;
  readonly #fileBytes: number;
  #number: number;
  #fd = -1;
  /** Bytes of the file that are on disk for sure, and that were written. */
  #length = 0;
  #written = 0;
  /** Heads and bodies in turn. */
  #group: Uint8Array[] = [];
  #groupBytes = 0;
  /** Bytes of the current file, which may have been longer in an earlier use. */
  #size = 0;
  /** Bytes of the closed files of the lane, oldest first. */
  #closed = new Map<number, number>();
  /** The number of the file that was thinned last. */
  #thinned = 0;

  /** Opens a fresh file after all that are there. `fileBytes` is when a file is followed by the next. */
  constructor(folder: string, lane: Lane, fileBytes: number) {
    this.#folder = folder;
    this.#lane = lane;
    this.#fileBytes = fileBytes;
    fs.mkdirSync(folder, { recursive: true });
    this.#number = journalFiles(folder).reduce((most, file) => Math.max(most, file.number), 0);
    this.#measure();
    this.#rotate();
  }

  /** Bytes on disk of the lane's files that hold records, spares apart. */
  get heldBytes(): number {
    return sum(this.#closed.values()) + this.#currentBytes;
  }

  /** Bytes on disk of all files of the lane. */
  get diskBytes(): number {
    return this.heldBytes + sum(this.#spares().map(fileBytes));
  }

  /** The number of the file that the next group goes to. */
  get file(): number {
    return this.#number;
  }

  /** Adds a record to the group that the next `write` writes. Returns the bytes it takes. */
  add(record: JournalRecord<Head>): number {
    const head = Buffer.from(JSON.stringify(record.head));
    const prefix = Buffer.allocUnsafe(PREFIX + head.length);
    const length = 4 + head.length + record.body.length;
    prefix.writeUInt32LE(length, 0);
    prefix.writeUInt32LE(head.length, 8);
    head.copy(prefix, PREFIX);
    this.#group.push(prefix, record.body);
    this.#groupBytes += 8 + length;
    return 8 + length;
  }

  /** Writes the group; it is on disk after the next sync. Throws when it cannot: nothing of it is kept, and the file is given up. */
  write(): void {
    const group = this.#group;
    const bytes = this.#groupBytes;
    this.#group = [];
    this.#groupBytes = 0;
    try {
      if (this.#fd < 0) throw new Error('the journal has no file');
      for (let i = 0; i < group.length; i += 2) {
        // Only now is it known which file the record goes to.
        const prefix = group[i]!;
        const sum = zlib.crc32(group[i + 1]!, zlib.crc32(prefix.subarray(8), this.#number));
        new DataView(prefix.buffer, prefix.byteOffset).setUint32(4, sum, true);
      }
      writeAll(this.#fd, group, this.#written);
      this.#written += bytes;
    } catch (error) {
      this.abandon();
      throw error;
    }
  }

  /** Syncs what was written, without waiting: `done` is told how it went. Only one at a time; then call `synced` or `abandon`. */
  sync(done: (error: Error | null) => void): void {
    fs.fdatasync(this.#fd, done);
  }

  /** The same, waiting for it. */
  syncNow(): void {
    fs.fdatasyncSync(this.#fd);
  }

  /** What was written is on disk. */
  synced(): void {
    this.#length = this.#written;
    if (this.#length >= this.#fileBytes) this.#rotate();
  }

  /** What was written since the last sync is not kept: after a failed one, nothing is known of what the file's pages hold, so the journal goes on in another. */
  abandon(): void {
    if (this.#fd < 0) return;
    try {
      // What was written of it must not be found by a replay.
      fs.ftruncateSync(this.#fd, this.#length);
    } finally {
      fs.closeSync(this.#fd);
      this.#fd = -1;
      this.#measure();
    }
  }

  /** Gives up the files of this lane numbered below `number`, the current one never: some become spares. */
  release(number: number): void {
    for (const file of journalFiles(this.#folder)) {
      if (!sameLane(file, this.#lane) || file.number >= Math.min(number, this.#number)) continue;
      const name = path.join(this.#folder, file.name);
      const spare = this.#spares().find((other) => !fs.existsSync(other));
      if (spare && fileBytes(name) <= 2 * this.#fileBytes) fs.renameSync(name, spare);
      else fs.unlinkSync(name);
    }
    this.#measure();
  }

  /**
   * Rewrites a closed file of the lane without the records that `drop` names: the next after the one that was thinned last,
   * or the oldest when that is `afresh`.
   */
  thin(drop: (head: Head) => boolean, afresh: boolean): void {
    if (afresh) this.#thinned = 0;
    const next = journalFiles(this.#folder).find((file) => {
      return sameLane(file, this.#lane) && file.number > this.#thinned && file.number < this.#number;
    });
    if (next === undefined) return;
    this.#thinned = next.number;
    rewriteFile(this.#folder, next, drop);
    syncFolder(this.#folder);
    this.#measure();
  }

  /** Starts a new file, so that all others can be rewritten. */
  rotate(): void {
    this.#rotate();
  }

  /** Removes the records that `drop` names from every file, and with them what spares and the ends of files still hold. */
  scrub(drop: (head: Head) => boolean): void {
    for (const spare of this.#spares()) fs.rmSync(spare, { force: true });
    this.#rotate();
    rewriteJournal<Head>(this.#folder, { lane: this.#lane, number: this.#number }, drop);
    this.#measure();
  }

  /** After a failure the next group needs a file. Throws when there can be none. */
  prepare(): void {
    if (this.#fd < 0) this.#rotate();
  }

  /** `sealed`: nothing in the current file is needed any more. */
  close(sealed: boolean): void {
    if (this.#fd >= 0) fs.closeSync(this.#fd);
    this.#fd = -1;
    if (sealed || this.#length === 0)
      fs.rmSync(path.join(this.#folder, fileName(this.#lane, this.#number)), { force: true });
  }

  #rotate(): void {
    const number = this.#number + 1;
    const name = path.join(this.#folder, fileName(this.#lane, number));
    const spare = this.#spares().find((file) => fs.existsSync(file));
    if (spare) fs.renameSync(spare, name);
    const fd = fs.openSync(name, spare ? 'r+' : 'wx', 0o600);
    syncFolder(this.#folder);
    if (this.#fd >= 0) {
      fs.closeSync(this.#fd);
      this.#closed.set(this.#number, this.#currentBytes);
    }
    this.#fd = fd;
    this.#number = number;
    this.#size = fs.fstatSync(fd).size;
    this.#length = 0;
    this.#written = 0;
  }

  get #currentBytes(): number {
    return this.#fd < 0 ? 0 : Math.max(this.#size, this.#written);
  }

  #measure(): void {
    const closed = journalFiles(this.#folder).filter((file) => {
      return sameLane(file, this.#lane) && (file.number !== this.#number || this.#fd < 0);
    });
    this.#closed = new Map(closed.map(({ name, number }) => [number, fileBytes(path.join(this.#folder, name))]));
  }

  #spares(): string[] {
    return spareNames(this.#lane).map((name) => path.join(this.#folder, name));
  }
}

/** When a file is followed by the next, where all together hold `bytes`. */
export const fileBytesFor = (bytes: number): number => Math.min(FILE_BYTES, bytes / FILES);

/** Which writer of how many: files of one folder belong to several. */
export interface Lane {
  readonly lane: number;
  readonly lanes: number;
}

export interface JournalFile extends Lane {
  readonly name: string;
  readonly number: number;
}

export const sameLane = (a: Lane, b: Lane): boolean => a.lane === b.lane && a.lanes === b.lanes;

/** The journal files of a folder in order of their numbers. */
export function journalFiles(folder: string): JournalFile[] {
  return fs
    .readdirSync(folder)
    .map((name) => ({ name, match: /^w(\d+)of(\d+)-(\d+)\.log$/.exec(name) }))
    .flatMap(({ name, match }) =>
      match ? [{ name, lane: Number(match[1]), lanes: Number(match[2]), number: Number(match[3]) }] : [],
    )
    .sort((a, b) => a.number - b.number || a.lane - b.lane);
}

/** The whole records of a file of a folder, in order; a torn one ends them. */
export function* readJournal<Head>(folder: string, file: JournalFile): Generator<JournalRecord<Head>> {
  const fd = fs.openSync(path.join(folder, file.name), 'r');
  try {
    const prefix = Buffer.alloc(8);
    for (let at = 0; readFully(fd, prefix, at);) {
      const length = prefix.readUInt32LE(0);
      if (length < 4 || length > MAX_RECORD) return;
      const rest = Buffer.from(new ArrayBuffer(length));
      if (!readFully(fd, rest, at + 8) || zlib.crc32(rest, file.number) !== prefix.readUInt32LE(4)) return;
      const headEnd = 4 + rest.readUInt32LE(0);
      yield { head: parseStored<Head>(rest.toString('utf8', 4, headEnd)), body: rest.subarray(headEnd) };
      at += 8 + length;
    }
  } finally {
    fs.closeSync(fd);
  }
}

/**
 * Rewrites the closed files of a lane, those numbered below `number`, without the records that `drop` names and without what is
 * behind the last record. A file is replaced whole, by rename, so that a crash leaves the old or the new.
 */
export function rewriteJournal<Head>(
  folder: string,
  { lane, number }: { readonly lane: Lane; readonly number: number },
  drop: (head: Head) => boolean,
): void {
  const closed = journalFiles(folder).filter((file) => sameLane(file, lane) && file.number < number);
  for (const file of closed) rewriteFile(folder, file, drop);
  syncFolder(folder);
}

/** The same with the files of a run with another number of writers, which nobody writes to. One thread alone may do so. */
export function rewriteForeign<Head>(folder: string, lanes: number, drop: (head: Head) => boolean): void {
  const foreign = journalFiles(folder).filter((file) => file.lanes !== lanes);
  for (const file of foreign) rewriteFile(folder, file, drop);
  if (foreign.length > 0) syncFolder(folder);
}

function rewriteFile<Head>(folder: string, file: JournalFile, drop: (head: Head) => boolean): void {
  const name = path.join(folder, file.name);
  const whole = fs.readFileSync(name);
  const kept: Uint8Array[] = [];
  let dropped = 0;
  let at = 0;
  for (const { head } of readJournal<Head>(folder, file)) {
    const length = 8 + whole.readUInt32LE(at);
    if (drop(head)) dropped++;
    else kept.push(whole.subarray(at, at + length));
    at += length;
  }
  if (dropped > 0 || at < whole.length) replaceFile(name, kept);
}

/**
 * Removes what no writer of this many would ever look at and what still holds old records: copies that a crash left half made,
 * and spares of a run with another number of writers. Before any writer starts.
 */
export function tidyJournal(folder: string, lanes: number): void {
  const spares = new Set(Array.from({ length: lanes }, (_, lane) => spareNames({ lane, lanes })).flat());
  const known = new Set(journalFiles(folder).map(({ name }) => name));
  for (const name of fs.readdirSync(folder)) {
    const leftOver = name.endsWith('.new') || (name.startsWith('spare-') && !spares.has(name));
    if (leftOver && !known.has(name)) fs.rmSync(path.join(folder, name));
  }
}

const spareNames = ({ lane, lanes }: Lane): string[] =>
  Array.from({ length: SPARES }, (_, i) => `spare-w${lane}of${lanes}-${i}`);

function replaceFile(name: string, pieces: readonly Uint8Array[]): void {
  if (pieces.length === 0) {
    fs.unlinkSync(name);
    return;
  }
  const fresh = `${name}.new`;
  const fd = fs.openSync(fresh, 'w', 0o600);
  try {
    writeAll(fd, pieces, 0);
    fs.fsyncSync(fd);
  } finally {
    fs.closeSync(fd);
  }
  fs.renameSync(fresh, name);
}

const fileBytes = (name: string): number => fs.statSync(name, { throwIfNoEntry: false })?.size ?? 0;

const sum = (numbers: Iterable<number>): number => [...numbers].reduce((total, number) => total + number, 0);

const fileName = ({ lane, lanes }: Lane, number: number): string =>
  `w${lane}of${lanes}-${String(number).padStart(12, '0')}.log`;

/** writev may write less than asked. */
function writeAll(fd: number, pieces: readonly Uint8Array[], position: number): void {
  let rest = pieces;
  for (let at = position; rest.length > 0;) {
    const batch = rest.slice(0, 512);
    let written = fs.writevSync(fd, batch, at);
    at += written;
    let done = 0;
    while (done < batch.length && written >= batch[done]!.length) written -= batch[done++]!.length;
    const torn = done < batch.length && written > 0 ? [batch[done]!.subarray(written)] : [];
    rest = [...torn, ...rest.slice(done + torn.length)];
  }
}

function readFully(fd: number, into: Buffer, position: number): boolean {
  let done = 0;
  while (done < into.length) {
    const read = fs.readSync(fd, into, done, into.length - done, position + done);
    if (read === 0) return false;
    done += read;
  }
  return true;
}
