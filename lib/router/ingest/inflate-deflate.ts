/** A stream of HTTP's `deflate`, in the zlib format or raw: the first bytes tell which. */
import { Duplex } from 'node:stream';
import { createInflate, createInflateRaw, type Inflate, type InflateRaw, type ZlibOptions } from 'node:zlib';
import { hasZlibHeader } from '../../base/inflate.ts';

export class InflateDeflate extends Duplex {
  readonly #options: ZlibOptions;
  /** null: nothing has come. */
  #inflate: Inflate | InflateRaw | null = null;

  constructor(options: ZlibOptions) {
    super();
    this.#options = options;
  }

  /** Bytes that were deflated data: less than were written, if something follows its end. */
  get bytesWritten(): number {
    return this.#inflate?.bytesWritten ?? 0;
  }

  override _write(chunk: Buffer, encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#inflate ??= this.#begin(chunk);
    this.#inflate.write(chunk, encoding, done);
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

  #begin(first: Buffer): Inflate | InflateRaw {
    const inflate = hasZlibHeader(first) ? createInflate(this.#options) : createInflateRaw(this.#options);
    inflate.on('data', (bytes: Buffer) => {
      if (!this.push(bytes)) inflate.pause();
    });
    inflate.once('end', () => this.push(null)); // what may follow is not part of it: zlib takes no more, and `bytesWritten` tells
    return inflate.once('error', (error) => this.destroy(error));
  }
}
