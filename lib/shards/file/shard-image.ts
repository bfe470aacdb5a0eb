/**
 * A small shard at rest, whose file nobody has open, is read as a copy of it in memory. To open the file takes three times as long:
 * SQLite makes a log and its index beside it for every reader, and removes them when it is closed.
 */
import Database from 'better-sqlite3';
import fs from 'node:fs';
import { SHARD_FORMAT, type Connection } from './shard-file.ts';

/** A larger shard is opened: to copy it would take longer. Bytes. */
const MOST_BYTES = 512 << 10;
/** Copies that are kept at once. */
const MOST_IMAGES = 8;

/** In the header of a file of SQLite: which version writes and reads it (2: with a log), and our format. */
const WRITE_VERSION = 18;
const READ_VERSION = 19;
const USER_VERSION = 60;
const HEADER_BYTES = 100;

/** The images of a thread, the least recently used given up first. Whoever writes to a file, or lets others write, closes its image before. */
export class ShardImages {
  readonly #byFile = new Map<string, Connection>();

  /** The image of a shard that no thread is writing to, good until the next call. null: it has to be opened. */
  get(file: string): Connection | null {
    const image = this.#byFile.get(file) ?? openImage(file);
    this.#byFile.delete(file);
    if (image === null) return null;
    this.#byFile.set(file, image);
    for (const oldest of this.#byFile.keys()) {
      if (this.#byFile.size <= MOST_IMAGES) break;
      this.close(oldest);
    }
    return image;
  }

  close(file: string): void {
    this.#byFile.get(file)?.close();
    this.#byFile.delete(file);
  }

  closeAll(): void {
    for (const file of [...this.#byFile.keys()]) this.close(file);
  }
}

/** Whether a connection is to an image: nobody writes to that, so what is read of it may be kept as long as it is there. */
export const isImage = ({ memory, readonly }: Connection): boolean => memory && readonly;

/**
 * null: there is none, or it is large, of another format, or open somewhere. That is so as long as it has an index of its log: our
 * reading must not end the locks that this process has on the file, as closing any descriptor of it does.
 */
function openImage(file: string): Connection | null {
  if (isOpen(file)) return null;
  const bytes = wholeFile(file);
  if (bytes === null || isOpen(file)) return null;
  if (bytes.length < HEADER_BYTES || bytes.readUInt32BE(USER_VERSION) !== SHARD_FORMAT) return null;
  return new Database(asImage(bytes), { readonly: true });
}

/** The bytes of a file, changed for a copy in memory, which has no log. */
export function asImage(bytes: Buffer): Buffer {
  bytes[WRITE_VERSION] = bytes[READ_VERSION] = 1;
  return bytes;
}

const isOpen = (file: string): boolean => fs.existsSync(`${file}-shm`) || fs.existsSync(`${file}-wal`);

/** What was read last, as SQLite makes a copy of its own: an array for each would be much garbage, and leave holes in the heap. */
let lastRead: Buffer | null = null;

/** Good until the next is read. null: it is too large, not there, or changed while it was read. */
function wholeFile(file: string): Buffer | null {
  const before = fs.statSync(file, { throwIfNoEntry: false });
  if (before === undefined || before.size > MOST_BYTES) return null;
  lastRead ??= Buffer.allocUnsafeSlow(MOST_BYTES);
  const fd = fs.openSync(file, 'r');
  try {
    const length = fs.readSync(fd, lastRead, 0, MOST_BYTES, 0);
    const after = fs.fstatSync(fd);
    const isSame = after.ino === before.ino && after.mtimeMs === before.mtimeMs && after.size === length;
    return isSame ? lastRead.subarray(0, length) : null;
  } finally {
    fs.closeSync(fd);
  }
}
