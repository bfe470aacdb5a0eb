/**
 * A small idle shard whose file nobody has open is read as a copy in memory. Opening the file takes three times as long: SQLite
 * creates a log and its index beside it for every reader, and removes them when it is closed.
 */
import Database from 'better-sqlite3';
import fs from 'node:fs';
import { openedFile } from '../../base/files/opened-file.ts';
import { Lru } from '../../base/lru.ts';
import { guarded, SHARD_FORMAT, type Connection } from './shard-file.ts';

/** A larger shard is openedFile: to copy it would take longer. Bytes. */
const MOST_BYTES = 512 << 10;
/** Copies that are kept at once. */
const MOST_IMAGES = 8;

/** The header of an SQLite file: offsets of the versions for writing and reading (2: with a log), and of our format; its length. */
const HEADER = { writeVersion: 18, readVersion: 19, format: 60, length: 100 } as const;

/** A thread's images; closes the least recently used first. Before anybody writes to a file, its image must be closed. */
export class ShardImages {
  readonly #byFile = new Lru<string, Connection>(MOST_IMAGES, (image) => image.close());
  readonly #onOpen: (file: string, image: Connection) => void;

  /** @param onOpen Called with each new image. */
  constructor(onOpen: (file: string, image: Connection) => void = () => undefined) {
    this.#onOpen = onOpen;
  }

  /** The image of a shard that no thread is writing to, valid until the next call; null if it must be openedFile. */
  get(file: string): Connection | null {
    const known = this.#byFile.get(file);
    if (known !== undefined) return known;
    const image = guarded(file, () => openImage(file));
    if (image === null) return null;
    this.#byFile.set(file, image);
    this.#onOpen(file, image);
    return image;
  }

  close(file: string): void {
    this.#byFile.delete(file)?.close();
  }

  closeAll(): void {
    for (const file of this.#byFile.keys()) this.close(file);
  }
}

/** Whether a connection is to an image: nobody writes to that, so what was read may be kept as long as it exists. */
export const isImage = ({ memory, readonly }: Connection): boolean => memory && readonly;

/**
 * null if the file is missing, large, of another format, or open somewhere, as it is while its log has an index: closing any
 * descriptor of the file would release the locks that this process holds on it.
 */
function openImage(file: string): Connection | null {
  if (isOpen(file)) return null;
  const bytes = wholeFile(file);
  if (bytes === null || isOpen(file)) return null;
  if (bytes.length < HEADER.length || bytes.readUInt32BE(HEADER.format) !== SHARD_FORMAT) return null;
  return new Database(asImage(bytes), { readonly: true });
}

/** Changes the bytes of a file for a copy in memory, which has no log. */
function asImage(bytes: Buffer): Buffer {
  bytes[HEADER.writeVersion] = bytes[HEADER.readVersion] = 1;
  return bytes;
}

const isOpen = (file: string): boolean => fs.existsSync(`${file}-shm`) || fs.existsSync(`${file}-wal`);

/** Reused, since SQLite makes its own copy: an array for each file would be much garbage, and leave holes in the heap. */
let lastRead: Buffer | null = null;

/** Valid until the next call. null if the file is too large, missing, or changed while it was read. */
function wholeFile(file: string): Buffer | null {
  const before = fs.statSync(file, { throwIfNoEntry: false });
  if (before === undefined || before.size > MOST_BYTES) return null;
  lastRead ??= Buffer.allocUnsafeSlow(MOST_BYTES);
  using from = openedFile(file, 'r');
  const length = fs.readSync(from.fd, lastRead, 0, MOST_BYTES, 0);
  const after = fs.fstatSync(from.fd);
  const isSame = after.ino === before.ino && after.mtimeMs === before.mtimeMs && after.size === length;
  return isSame ? lastRead.subarray(0, length) : null;
}
