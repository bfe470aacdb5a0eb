/**
 * The journal of one writer thread: files of records, appended for all its tenants at once and synced before anything is
 * acknowledged. A record is kept until what it holds is sealed in a shard. A plain file, because a request is one sequential write
 * of its bytes; a table in SQLite writes each of them twice and keeps a tree that nobody asks. format.ts says what is in a
 * file. Numbers of files only grow, also over restarts.
 *
 * Files that are not needed any more are kept and written over: on ext4 that takes about two thirds of the time of a growing file.
 * Where nothing comes for a minute, and at the end, they are given back.
 */
import fs from 'node:fs';
import path from 'node:path';
import type { Place } from './entry.ts';
import { encodeHead, encodeHeader, HEADER_BYTES, sign } from './format.ts';
import { journalFiles, newJournalFile, samePartition, spareNames, type WriterPartition } from './names.ts';
import { rewriteFile, type JournalRecord } from './rewrite.ts';
import { storageError } from '../file/shard-file.ts';
import { syncPath } from '../../base/files/sync-path.ts';
import { writeAll } from '../../base/files/write-all.ts';

/** A file is followed by the next at this length, or at its share of what all may hold. Bytes. */
const FILE_BYTES = 32 << 20;
const FILES = 8;

/** A record that is to be written, with the place that it will have. */
interface Unwritten {
  readonly head: Buffer;
  readonly body: Uint8Array;
  readonly place: { -readonly [Key in keyof Place]: Place[Key] };
}

export class Journal<Head> {
  readonly #folder: string;
  readonly #partition: WriterPartition;
  readonly #fileBytes: number;
  #number: number;
  #fd = -1;
  /** Bytes of the file that are on disk for sure, and that were written. */
  #length = 0;
  #written = 0;
  #name: ReturnType<typeof newJournalFile>;
  /** Records of the current file. */
  #records = 0;
  #group: Unwritten[] = [];
  #groupBytes = 0;
  /** Bytes of the current file, which may have been longer in an earlier use. */
  #size = 0;
  /** Bytes of the closed files of the partition, oldest first. */
  #closed = new Map<number, number>();
  /** The number of the file that was thinned last. */
  #thinned = 0;
  /** Rewrites of closed files that are under way elsewhere. */
  #scrubs = 0;
  /** Files numbered below are not needed any more. */
  #released = 0;
  /** Nothing was written since `rest`. */
  #resting = false;

  /** Opens a fresh file after all that are there. `fileBytes` is when a file is followed by the next. */
  constructor(folder: string, partition: WriterPartition, fileBytes: number) {
    this.#folder = folder;
    this.#partition = partition;
    this.#fileBytes = fileBytes;
    fs.mkdirSync(folder, { recursive: true });
    this.#number = journalFiles(folder).reduce((most, file) => Math.max(most, file.number), 0);
    this.#name = newJournalFile(partition, this.#number);
    this.#measure();
    this.#rotate();
  }

  /** Bytes on disk of the partition's files that hold records, spares apart. */
  get heldBytes(): number {
    return sum(this.#closed.values()) + this.#currentBytes;
  }

  /** Bytes on disk of all files of the partition. */
  get diskBytes(): number {
    return this.heldBytes + sum(this.#spares().map(fileBytes));
  }

  /** The number of the file that the next group goes to. */
  get file(): number {
    return this.#number;
  }

  /** Adds a record to the group that the next `write` writes. Returns as many bytes as it takes, and its place from then on. */
  add({ head: value, body }: JournalRecord<Head>): Place {
    const head = encodeHead(Buffer.from(JSON.stringify(value)), body.length);
    const place = { file: this.#name, at: 0, end: head.length + body.length, sum: 0 };
    this.#group.push({ head, body, place });
    this.#groupBytes += place.end;
    return place;
  }

  /** Writes the group; it is on disk after the next sync. Throws when it cannot: nothing of it is kept, and the file is given up. */
  write(): void {
    const group = this.#group;
    const bytes = this.#groupBytes;
    this.#resting = false;
    this.#group = [];
    this.#groupBytes = 0;
    try {
      if (this.#fd < 0) throw new Error('the journal has no file');
      const isFirst = this.#written === 0;
      const pieces: Uint8Array[] = isFirst ? [encodeHeader(this.#name)] : [];
      let end = this.#written + (isFirst ? HEADER_BYTES : 0);
      for (const { head, body, place } of group) {
        const sum = sign(head, body, this.#name, this.#records++); // only now is it known which file the record goes to
        const at = end;
        end += head.length + body.length;
        Object.assign(place, { file: this.#name, at, end, sum });
        pieces.push(head, body);
      }
      writeAll(this.#fd, pieces, this.#written);
      this.#written += bytes + (isFirst ? HEADER_BYTES : 0);
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

  /** What was written is on disk. A mark says so: from then on, what cannot be read before it was lost, and is no torn end. */
  synced(): void {
    this.#mark();
    this.#length = this.#written;
    // Where there can be no other file now, this one goes on growing: its group is acknowledged, and the next one tries again.
    if (this.#length >= this.#fileBytes) unlessDiskFails(() => this.#rotate());
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

  /** Gives up the files of this partition numbered below `number`, the current one never: some become spares. */
  release(number: number): void {
    // Of files that come later nothing is known yet, whatever the number says: it may have been said late.
    this.#released = Math.max(this.#released, Math.min(number, this.#number));
    if (this.#scrubs > 0) return;
    for (const file of journalFiles(this.#folder)) {
      if (!samePartition(file, this.#partition) || file.number >= this.#released) continue;
      const name = path.join(this.#folder, file.name);
      const spare = this.#spares().find((other) => !fs.existsSync(other));
      if (spare && fileBytes(name) <= 2 * this.#fileBytes) fs.renameSync(name, spare);
      else fs.unlinkSync(name);
    }
    this.#measure();
  }

  /**
   * Rewrites a closed file of the partition without the records that `drop` names: the next after the one that was thinned last,
   * or the oldest when that is `afresh`.
   */
  thin(drop: (head: Head) => boolean, afresh: boolean): void {
    if (this.#scrubs > 0) return;
    if (afresh) this.#thinned = 0;
    const next = journalFiles(this.#folder).find((file) => {
      return samePartition(file, this.#partition) && file.number > this.#thinned && file.number < this.#number;
    });
    if (next === undefined) return;
    this.#thinned = next.number;
    rewriteFile(this.#folder, next, drop);
    syncPath(this.#folder);
    this.#measure();
  }

  /**
   * Starts a new file, so that another thread can rewrite all others, those below the number that is given back. Spares go, with
   * what they still hold. Until `endScrub` is called as often none of the files is given up.
   */
  beginScrub(): { readonly folder: string; readonly partition: WriterPartition; readonly number: number } {
    this.#removeSpares();
    this.#rotate();
    this.#scrubs++;
    const { partition, partitions } = this.#partition;
    return { folder: this.#folder, partition: { partition, partitions }, number: this.#number };
  }

  endScrub(): void {
    if (--this.#scrubs > 0) return;
    this.#measure();
    this.release(this.#released);
  }

  /**
   * Nothing has come for a while: gives back the room that was kept to be written over. Where none of the files is needed, an
   * empty one takes their place. No group may be under way. @param needed The first file that is; Infinity: none.
   */
  rest(needed: number): void {
    if (this.#resting || this.#scrubs > 0 || this.#fd < 0) return;
    this.#resting = needed === Infinity;
    unlessDiskFails(() => {
      this.#removeSpares(); // so that none follows
      if (needed === Infinity && this.#written > 0) this.#rotate();
      if (this.#size > this.#written) fs.ftruncateSync(this.#fd, this.#written);
      this.#size = this.#written;
      this.release(needed);
      this.#removeSpares();
    });
  }

  /** After a failure the next group needs a file. Throws when there can be none. */
  prepare(): void {
    if (this.#fd < 0) this.#rotate();
  }

  /** `sealed`: nothing in the current file is needed any more. */
  close(sealed: boolean): void {
    if (this.#fd >= 0) {
      if (this.#size > this.#written) unlessDiskFails(() => fs.ftruncateSync(this.#fd, this.#written));
      fs.closeSync(this.#fd);
    }
    this.#fd = -1;
    if (sealed || this.#length === 0) fs.rmSync(path.join(this.#folder, this.#name.name), { force: true });
    this.#removeSpares();
  }

  /** It needs no sync of its own. Where there is no room for it, the group is acknowledged all the same, and the next write tells. */
  #mark(): void {
    const mark = encodeHead(new Uint8Array(), 0);
    sign(mark, new Uint8Array(), this.#name, this.#records);
    unlessDiskFails(() => {
      if (fs.writeSync(this.#fd, mark, 0, mark.length, this.#written) === mark.length) this.#written += mark.length;
    });
  }

  #rotate(): void {
    const next = newJournalFile(this.#partition, this.#number + 1);
    const name = path.join(this.#folder, next.name);
    const spare = this.#spares().find((file) => fs.existsSync(file));
    const fd = fs.openSync(spare ?? name, spare ? 'r+' : 'wx', 0o600);
    try {
      if (spare) fs.renameSync(spare, name);
      syncPath(this.#folder);
    } catch (error) {
      fs.closeSync(fd);
      throw error;
    }
    if (this.#fd >= 0) {
      fs.closeSync(this.#fd);
      this.#closed.set(this.#number, this.#currentBytes);
    }
    this.#fd = fd;
    this.#name = next;
    this.#number = next.number;
    this.#records = 0;
    this.#size = fs.fstatSync(fd).size;
    this.#length = 0;
    this.#written = 0;
  }

  get #currentBytes(): number {
    return this.#fd < 0 ? 0 : Math.max(this.#size, this.#written);
  }

  #measure(): void {
    const closed = journalFiles(this.#folder).filter((file) => {
      return samePartition(file, this.#partition) && (file.number !== this.#number || this.#fd < 0);
    });
    this.#closed = new Map(closed.map(({ name, number }) => [number, fileBytes(path.join(this.#folder, name))]));
  }

  #removeSpares(): void {
    for (const spare of this.#spares()) fs.rmSync(spare, { force: true });
  }

  #spares(): string[] {
    return spareNames(this.#partition).map((name) => path.join(this.#folder, name));
  }
}

/** Runs what may be left undone where the disk fails. */
function unlessDiskFails(run: () => void): void {
  try {
    run();
  } catch (error) {
    if (storageError(error) === null) throw error;
  }
}

/** When a file is followed by the next, where all together hold `bytes`. */
export const fileBytesFor = (bytes: number): number => Math.min(FILE_BYTES, bytes / FILES);

const fileBytes = (name: string): number => fs.statSync(name, { throwIfNoEntry: false })?.size ?? 0;

const sum = (numbers: Iterable<number>): number => [...numbers].reduce((total, number) => total + number, 0);
