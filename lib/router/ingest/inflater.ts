/** Inflates streams. The memory for it counts as a body before it is taken: of Brotli a few bytes take megabytes. */
import { Duplex } from 'node:stream';
import {
  type BrotliDecompress,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  type Gunzip,
  type Inflate,
  type InflateRaw,
} from 'node:zlib';
import { type Encoding, hasZlibHeader, inflaterBytes } from '../../base/inflate.ts';
import type { StreamRoom } from '../http/stream-room.ts';

export type Compression = Exclude<Encoding, 'identity'>;

type ZlibInflater = BrotliDecompress | Gunzip | Inflate | InflateRaw;

/** Bytes per chunk. */
const OPTIONS = { chunkSize: 65_536 };

/** Compressed bytes → bytes. Its first bytes tell how much memory it needs, and of HTTP's `deflate` whether it is raw. */
export class Inflater extends Duplex {
  readonly #compression: Compression;
  readonly #room: Pick<StreamRoom, 'keep'>;
  /** null: nothing has come, or there is no room yet. */
  #inflate: ZlibInflater | null = null;

  /** @param room Gets what this takes for as long as it is open. */
  constructor(compression: Compression, room: Pick<StreamRoom, 'keep'>) {
    super();
    this.#compression = compression;
    this.#room = room;
  }

  /** Bytes that were compressed data: less than were written, if something follows its end. */
  get bytesWritten(): number {
    return this.#inflate?.bytesWritten ?? 0;
  }

  override _write(chunk: Buffer, encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    const write = (): void => {
      if (this.destroyed) return done();
      this.#inflate ??= this.#begin(chunk);
      this.#inflate.write(chunk, encoding, done);
    };
    const wait = this.#inflate === null ? this.#room.keep(inflaterBytes(this.#compression, chunk)) : null;
    if (wait === null) write();
    else wait.then(write, done);
  }

  override _final(done: () => void): void {
    if (this.#inflate === null) this.push(null);
    else this.#inflate.end();
    done();
  }

  override _read(): void {
    this.#inflate?.resume();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#inflate?.destroy();
    done(error);
  }

  #begin(first: Buffer): ZlibInflater {
    const inflate = createInflater(this.#compression, first);
    inflate.on('data', (bytes: Buffer) => {
      if (!this.push(bytes)) inflate.pause();
    });
    inflate.once('end', () => this.push(null)); // what may follow is not part of it: zlib takes no more, and `bytesWritten` tells
    return inflate.once('error', (error) => this.destroy(error));
  }
}

function createInflater(compression: Compression, first: Buffer): ZlibInflater {
  if (compression === 'br') return createBrotliDecompress(OPTIONS);
  if (compression === 'gzip') return createGunzip(OPTIONS);
  return hasZlibHeader(first) ? createInflate(OPTIONS) : createInflateRaw(OPTIONS);
}
