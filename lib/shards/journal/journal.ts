/**
 * The journal of one writer: files of records, appended for all its projects together and synced before anything is acknowledged.
 * A record is kept until its contents are sealed in a shard. It is a plain file because a request is then one sequential write of
 * its bytes; a table in SQLite would write each byte twice and maintain a tree that nobody queries. format.ts describes the
 * contents. File numbers only grow, also across restarts.
 *
 * Files that are no longer needed are kept and overwritten, and the first ones of a run are filled with zeros in time:
 * spare-files.ts tells why. After a minute without events, and at the end, their space is freed.
 */
import { makeFolderOnDisk } from '../../base/files/make-folders.ts';
import fs from 'node:fs';
import path from 'node:path';
import type { Place } from './entry.ts';
import { encodeHead, encodeHeader, HEADER_BYTES, markOf, sign } from './format.ts';
import { journalFiles, newJournalFile, samePartition, type WriterPartition } from './names.ts';
import { openedFile } from '../../base/files/opened-file.ts';
import { rewriteFile, type JournalRecord } from './rewrite.ts';
import { fileSize } from '../../base/files/file-size.ts';
import { SpareFiles, unlessDiskFails } from './spare-files.ts';
import { threshold } from '../../base/threshold.ts';
import { syncPath } from '../../base/files/sync-path.ts';
import { writeAll } from '../../base/files/write-all.ts';

/** Bytes at which a new file begins; less if the share of the limit for all files is smaller. */
const FILE_BYTES = 32 << 20;
const FILES = 8;
/** Bytes of a file that grows before the next is made in advance: less is not worth another file. */
const GROWN = threshold('bytes of a growing journal', 64 << 10);
/** How much larger than this file the next is made. */
const GROWTH = 4;
/** The share of a file that is left when the next is begun, for a group that may be larger than the last. */
const MARGIN = 1 / 16;

/** A record to be written, and the place it will get. */
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
  /** Bytes of the file that are synced, and that are written. */
  #length = 0;
  #written = 0;
  #name: ReturnType<typeof newJournalFile>;
  /** Records in the current file. */
  #records = 0;
  #group: Unwritten[] = [];
  #groupBytes = 0;
  /** Size of the current file, which may have been longer in an earlier use. */
  #size = 0;
  /** The current file's name is not on disk yet. */
  #isUnnamed = false;
  readonly #spares: SpareFiles;
  /** Sizes of the partition's closed files, oldest first. */
  #closed = new Map<number, number>();
  /** The number of the file thinned last. */
  #thinned = 0;
  /** Rewrites of closed files running elsewhere. */
  #scrubs = 0;
  /** Files with lower numbers are no longer needed. */
  #released = 0;
  /** Nothing has been written since `rest`. */
  #resting = false;
  /** A file that was given up before its end could be cut off. */
  #uncut: { readonly name: string; readonly bytes: number } | null = null;

  /** Opens a new file after all existing ones. `fileBytes`: the length at which the next file begins. */
  constructor(folder: string, partition: WriterPartition, fileBytes: number) {
    this.#folder = folder;
    this.#partition = partition;
    this.#fileBytes = fileBytes;
    makeFolderOnDisk(folder);
    this.#spares = new SpareFiles(folder, partition);
    this.#number = journalFiles(folder).reduce((most, file) => Math.max(most, file.number), 0);
    this.#name = newJournalFile(partition, this.#number);
    this.#measure();
    this.#rotate();
    this.#syncName();
  }

  /** Bytes on disk of the partition's files with records, without spares. */
  get heldBytes(): number {
    return sum(this.#closed.values()) + this.#currentBytes;
  }

  /** Bytes on disk of all files of the partition. */
  get diskBytes(): number {
    return this.heldBytes + this.#spares.bytes;
  }

  /** The number of the file that the next group is written to. */
  get file(): number {
    return this.#number;
  }

  /** Adds a record to the group that the next `write` writes. Returns its place: its length now, the rest once it is written. */
  add({ head: value, body }: JournalRecord<Head>): Place {
    const head = encodeHead(Buffer.from(JSON.stringify(value)), body.length);
    const place = { file: this.#name, at: 0, end: head.length + body.length, sum: 0 };
    this.#group.push({ head, body, place });
    this.#groupBytes += place.end;
    return place;
  }

  /** Writes the group; it is on disk after the next sync. If it fails, throws, keeps none of the group and gives up the file. */
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
        const sum = sign(head, body, this.#name, this.#records++); // only now is it known which file the record is in
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

  /** Syncs what was written, without blocking, and calls `done`. Only one at a time; then call `synced` or `abandon`. */
  sync(done: (error: Error | null) => void): void {
    const fd = this.#fd;
    if (!this.#isUnnamed) return fs.fdatasync(fd, done);
    syncFolder(this.#folder, (error) => {
      if (error === null) fs.fdatasync(fd, done);
      else done(error);
    });
  }

  /** The same, but blocks. */
  syncNow(): void {
    this.#syncName();
    fs.fdatasyncSync(this.#fd);
  }

  /** Call it once what was written is on disk. A mark records this: anything unreadable before it was lost, not torn off. */
  synced(): void {
    this.#isUnnamed = false;
    this.#mark();
    this.#length = this.#written;
    const isFull = this.#length >= this.#fileBytes || (this.#spares.hasOne && this.#length > this.#size * (1 - MARGIN));
    // If no new file can be made now, this one keeps growing: its group is acknowledged, and the next one tries again.
    if (isFull) unlessDiskFails(() => this.#rotate());
    else if (this.#length >= Math.max(GROWN.value, this.#size / 2)) {
      this.#spares.make(Math.min(this.#fileBytes, this.#currentBytes * GROWTH));
    }
  }

  /**
   * Drops what was added since the last sync, written or not: the arrival numbers of all of it are given again. If a sync failed,
   * the file's state is unknown, so the next group gets another.
   */
  abandon(): void {
    this.#group = [];
    this.#groupBytes = 0;
    if (this.#fd < 0) return;
    this.#uncut = { name: path.join(this.#folder, this.#name.name), bytes: this.#length };
    unlessDiskFails(() => fs.closeSync(this.#fd));
    this.#fd = -1;
    unlessDiskFails(() => this.#cut()); // else before anything else is written
    this.#measure();
  }

  /** A replay must not find what was given up: it would take that instead of what got its arrival numbers. */
  #cut(): void {
    if (this.#uncut === null) return;
    const { name, bytes } = this.#uncut;
    if (fs.existsSync(name)) {
      using file = openedFile(name, 'r+');
      fs.ftruncateSync(file.fd, bytes);
      fs.fsyncSync(file.fd);
    }
    this.#uncut = null;
  }

  /** Gives up files of this partition numbered below `number`, but never the current one; some become spares. */
  release(number: number): void {
    // Never covers files that come later, of which nothing is known yet: `number` may be out of date.
    this.#released = Math.max(this.#released, Math.min(number, this.#number));
    if (this.#scrubs > 0) return;
    unlessDiskFails(() => this.#giveUp()); // else with the next release
    this.#measure();
  }

  #giveUp(): void {
    for (const file of journalFiles(this.#folder)) {
      if (!samePartition(file, this.#partition) || file.number >= this.#released) continue;
      this.#syncName(); // the highest number must stay known
      const name = path.join(this.#folder, file.name);
      const bytes = fileSize(name);
      // A file smaller than this one would be full at once.
      const isUseful = bytes >= Math.min(this.#currentBytes, this.#fileBytes) && bytes <= 2 * this.#fileBytes;
      if (!isUseful || !this.#spares.keep(name)) fs.unlinkSync(name);
    }
  }

  /**
   * Rewrites a closed file of the partition without the records that `drop` selects: the next after the one thinned last, or the
   * oldest if `afresh`. If the disk has no room for that, nothing changes.
   */
  thin(drop: (head: Head) => boolean, afresh: boolean): void {
    if (this.#scrubs > 0) return;
    if (afresh) this.#thinned = 0;
    const next = journalFiles(this.#folder).find((file) => {
      return samePartition(file, this.#partition) && file.number > this.#thinned && file.number < this.#number;
    });
    if (next === undefined) return;
    this.#thinned = next.number;
    unlessDiskFails(() => {
      rewriteFile(this.#folder, next, drop);
      syncPath(this.#folder);
    });
    this.#measure();
  }

  /**
   * Starts a new file, so that another thread can rewrite all those below the returned number. Removes the spares, which still
   * hold old records. No file is given up until `endScrub` has been called for each `beginScrub`.
   */
  beginScrub(): { readonly folder: string; readonly partition: WriterPartition; readonly number: number } {
    this.#spares.removeAll();
    this.#rotate();
    this.#syncName();
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
   * Frees the space kept for overwriting, once nothing has come for a while. If no file is needed, an empty one replaces them. No
   * group may be in progress. @param needed The first needed file; Infinity if none.
   */
  rest(needed: number): void {
    if (this.#resting || this.#scrubs > 0 || this.#fd < 0) return;
    this.#resting = needed === Infinity;
    unlessDiskFails(() => {
      this.#spares.removeAll(); // so that the next file is not a spare
      if (needed === Infinity && this.#written > 0) this.#rotate();
      if (this.#size > this.#written) fs.ftruncateSync(this.#fd, this.#written);
      this.#size = this.#written;
      this.release(needed);
      this.#spares.removeAll();
    });
  }

  /** Makes sure that the next group has a file, after a failure. Throws if there can be none. */
  prepare(): void {
    if (this.#fd < 0) this.#rotate();
  }

  /** `sealed`: nothing in the current file is needed any longer. */
  close(sealed: boolean): void {
    if (this.#fd >= 0) {
      if (this.#size > this.#written) unlessDiskFails(() => fs.ftruncateSync(this.#fd, this.#written));
      fs.closeSync(this.#fd);
    }
    this.#fd = -1;
    if (sealed || this.#length === 0) fs.rmSync(path.join(this.#folder, this.#name.name), { force: true });
    this.#spares.removeAll();
  }

  /** Needs no separate sync. If there is no room for it, the group is acknowledged anyway, and the next write reports that. */
  #mark(): void {
    const mark = markOf(this.#name, this.#records);
    unlessDiskFails(() => {
      if (fs.writeSync(this.#fd, mark, 0, mark.length, this.#written) === mark.length) this.#written += mark.length;
    });
  }

  /** Begins a file, whose name the next sync brings to the disk. */
  #rotate(): void {
    this.#cut();
    const next = newJournalFile(this.#partition, this.#number + 1);
    const fd = this.#spares.take(path.join(this.#folder, next.name));
    if (this.#fd >= 0) {
      fs.closeSync(this.#fd);
      this.#closed.set(this.#number, this.#currentBytes);
    }
    this.#fd = fd;
    this.#isUnnamed = true;
    this.#name = next;
    this.#number = next.number;
    this.#records = 0;
    this.#size = fs.fstatSync(fd).size;
    this.#length = 0;
    this.#written = 0;
  }

  #syncName(): void {
    if (this.#isUnnamed) syncPath(this.#folder);
    this.#isUnnamed = false;
  }

  get #currentBytes(): number {
    return this.#fd < 0 ? 0 : Math.max(this.#size, this.#written);
  }

  #measure(): void {
    const closed = journalFiles(this.#folder).filter((file) => {
      return samePartition(file, this.#partition) && (file.number !== this.#number || this.#fd < 0);
    });
    this.#closed = new Map(closed.map(({ name, number }) => [number, fileSize(path.join(this.#folder, name))]));
  }
}

function syncFolder(folder: string, done: (error: Error | null) => void): void {
  fs.open(folder, 'r', (error, fd) => {
    if (error !== null) return done(error);
    fs.fsync(fd, (failed) => {
      fs.closeSync(fd);
      done(failed);
    });
  });
}

/** The length at which the next file begins, if all files may hold `bytes`. */
export const fileBytesFor = (bytes: number): number => Math.min(FILE_BYTES, bytes / FILES);

const sum = (numbers: Iterable<number>): number => [...numbers].reduce((total, number) => total + number, 0);
