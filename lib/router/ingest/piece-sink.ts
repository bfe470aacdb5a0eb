import { Writable } from 'node:stream';
import type { BulkStream } from '../../store/event-store.ts';

/**
 * Bytes gathered while a piece is written: this makes fewer, larger commits, and the writer waits less often for the next piece.
 * Others need not wait for it, as it is read in slices.
 */
const PIECE_BYTES = 1 << 20;

type Done = (error?: Error | null) => void;

/**
 * The sink of a stream of lines: passes pieces to the store one at a time, at once while the store is idle, so that slow streams
 * are soon on disk, and gathered while it is busy. `afterEach` runs between pieces and learns whether anybody still waits for it;
 * if it or the store fails, the sink is destroyed at once, whether or not more bytes come.
 */
export class PieceSink extends Writable {
  readonly #stream: BulkStream;
  readonly #afterEach: (over: () => boolean) => Promise<void>;
  readonly #received: (bytes: number) => void;
  #gathered: Buffer[] = [];
  #bytes = 0;
  #busy = false;
  #written: Promise<void> = Promise.resolve();
  #wantMore: Done | null = null;
  #whenAllIsWritten: Done | null = null;

  /** `received` gets the bytes of each piece before it is stored. An error it throws ends the stream. */
  constructor(
    stream: BulkStream,
    afterEach: (over: () => boolean) => Promise<void>,
    received: (bytes: number) => void,
  ) {
    super({ decodeStrings: true });
    this.#received = received;
    this.#stream = stream;
    this.#afterEach = afterEach;
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: Done): void {
    this.#gathered.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes < PIECE_BYTES) done();
    else this.#wantMore = done;
    if (!this.#busy) void this.#writeAll();
  }

  override _final(done: Done): void {
    if (this.#busy) this.#whenAllIsWritten = done;
    else done();
  }

  /** Resolves when the store has answered for the last piece, even with an error. */
  async settled(): Promise<void> {
    await Promise.allSettled([this.#written]);
  }

  /** Never rejects: a failure destroys the sink. */
  async #writeAll(): Promise<void> {
    this.#busy = true;
    try {
      while (this.#bytes > 0 && !this.destroyed) {
        this.#written = this.#stream.write(this.#take());
        await this.#written;
        await this.#afterEach(() => this.destroyed);
      }
      this.#busy = false;
      this.#whenAllIsWritten?.();
    } catch (error) {
      this.destroy(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #take(): Uint8Array<ArrayBuffer> {
    const piece = new Uint8Array(this.#bytes);
    this.#received(piece.length);
    let at = 0;
    for (const chunk of this.#gathered) {
      piece.set(chunk, at);
      at += chunk.length;
    }
    this.#gathered = [];
    this.#bytes = 0;
    const more = this.#wantMore;
    this.#wantMore = null;
    more?.();
    return piece;
  }
}
